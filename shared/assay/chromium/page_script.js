// What we keep beside a page, in a world of its own: when it last changed, and what it holds.
(() => {
  if (globalThis.assay || window.top !== window) return;
  const RUNS = /^$|^module$|^(text|application)\/(x-)?(java|ecma|j|live)script\b/i;
  const HOLDS = "script,iframe,frame,object,embed,meta[http-equiv=refresh i]";
  const DENY = [
    "#onetrust-reject-all-handler", ".ot-pc-refuse-all-handler", "#CybotCookiebotDialogBodyButtonDecline",
    "#CybotCookiebotDialogBodyLevelButtonLevelOptinDeclineAll", "#didomi-notice-disagree-button",
    ".didomi-continue-without-agreeing", "[data-testid=uc-deny-all-button]", ".fc-cta-do-not-consent",
    "#truste-consent-required", ".iubenda-cs-reject-btn", ".cky-btn-reject", ".cmplz-deny", ".cc-deny",
    ".osano-cm-denyAll", "#tarteaucitronAllDenied2", ".qc-cmp2-summary-buttons [mode=secondary]",
    "#axeptio_btn_dismiss", ".klaro .cn-decline", "[data-cookiefirst-action=reject]", "#hs-eu-decline-button",
  ].join(",");
  const BANNER = [
    "#onetrust-consent-sdk", "#CybotCookiebotDialog", "#CybotCookiebotDialogBodyUnderlay", "#didomi-host",
    "#usercentrics-root", "#usercentrics-cmp-ui", ".fc-consent-root", "#truste-consent-track", "#iubenda-cs-banner",
    ".cky-consent-container", ".cky-overlay", "#cmplz-cookiebanner-container", ".cc-window", ".osano-cm-window",
    "#tarteaucitronRoot", "#qc-cmp2-container", "#axeptio_overlay", "#cookiefirst-root", "#hs-eu-cookie-confirmation",
  ].join(",");
  const frames = (left) =>
    new Promise((done) => {
      const one = () => (left-- > 0 ? requestAnimationFrame(one) : done());
      setTimeout(done, 400); // a page that is not drawn has no frames
      one();
    });
  const tasks = () => new Promise((done) => setTimeout(done, 20));

  let last = performance.now();
  let changes = 0;
  let scripted = false;
  const runs = (node) =>
    node.nodeType === 1 &&
    (node.localName === "script" ? RUNS.test((node.getAttribute("type") || "").trim()) : node.matches(HOLDS));
  const noted = (node) => {
    if (scripted || node.nodeType !== 1) return;
    scripted = runs(node) || [...node.querySelectorAll(HOLDS)].some(runs);
  };
  if (document.documentElement) noted(document.documentElement); // we may come late
  new MutationObserver((records) => {
    last = performance.now();
    changes += records.length;
    if (!scripted) for (const record of records) record.addedNodes.forEach(noted);
  }).observe(document, { subtree: true, childList: true, characterData: true });

  // Not by XPath: it makes a node of each attribute, in time quadratic in those of an element.
  const handled = () => {
    for (const each of document.getElementsByTagName("*"))
      if (each.hasAttributes() && each.getAttributeNames().some((name) => name.startsWith("on"))) return true;
    return false;
  };

  const scroller = () => {
    const page = document.scrollingElement || document.documentElement;
    if (page.scrollHeight > page.clientHeight + 8) return page;
    let best = page;
    for (const each of document.querySelectorAll("main,div,section,article,[role=main],ul")) {
      if (each.clientHeight < innerHeight / 2 || each.scrollHeight < each.clientHeight + 200) continue;
      if (!/auto|scroll/.test(getComputedStyle(each).overflowY)) continue;
      if (best === page || each.scrollHeight > best.scrollHeight) best = each;
    }
    return best;
  };

  // The page as its reader meets it: what shadows hold stands where it is shown.
  const copied = (node, into, inside) => {
    if (node.nodeType !== 1) return node.nodeType === 3 ? into.createTextNode(node.data) : null;
    if (inside && node.localName === "style") return null;
    const copy = into.importNode(node, node.localName === "template");
    let children = node.shadowRoot ? node.shadowRoot.childNodes : node.childNodes;
    if (inside && node.localName === "slot") {
      const assigned = node.assignedNodes();
      if (assigned.length) children = assigned;
    }
    const under = inside || Boolean(node.shadowRoot);
    for (const child of children) {
      const made = copied(child, into, under);
      if (made) copy.appendChild(made);
    }
    return copy;
  };
  const markup = (root) => {
    const shadowed = [...root.querySelectorAll("*")].some((each) => each.shadowRoot);
    if (!shadowed) return root.outerHTML;
    try {
      return copied(root, document.implementation.createHTMLDocument(""), false).outerHTML;
    } catch {
      return root.outerHTML; // nested deeper than can be walked
    }
  };

  // What style sheets hide (external, adopted or inserted ones, too) is written into the elements' own style, where
  // whoever reads the markup finds it. Only what the browser has computed counts.
  const UNSEEN = "head,script,style,template,noscript,title,meta,link,base,iframe,object,svg,math,canvas,video,audio";
  const MOST_ELEMENTS = 60000;
  const MOST_SUSPECTS = 300;
  const numbers = (color) => {
    const found = (color.match(/[\d.]+/g) || []).map(Number);
    return found.length < 3 || !color.startsWith("rgb") ? null : [...found.slice(0, 3), found[3] ?? 1];
  };
  const alike = (one, other) => one.slice(0, 3).every((value, place) => Math.abs(value - other[place]) <= 12);
  // Written after the walk: each change makes the next computed style a new calculation.
  let pending = [];
  const say = (element, name, value) => pending.push([element, name, value]);
  const write = () => {
    for (const [element, name, value] of pending)
      if (element.style && element.style.getPropertyValue(name) !== value)
        element.style.setProperty(name, value, "important");
    pending = [];
  };
  const paint = (element, ground) => {
    const color = `rgb(${ground.slice(0, 3).join(", ")})`;
    say(element, "color", color);
    say(element, "background-color", color);
  };
  const beyond = (element) => {
    const box = element.getBoundingClientRect();
    return (box.width || box.height) && (box.right + scrollX <= 0 || box.bottom + scrollY <= 0);
  };
  // The state that the children begin with. What is out of sight is looked into, too: the reader of the markup may
  // open a closed section, and must not find in it what stays hidden in an open one. A part that is not displayed has
  // no boxes, so there the declared values count.
  const far = (value) => parseFloat(value) <= -500;
  const none = (value) => parseFloat(value) <= 1;
  const declared = (element, style, placed, clips) => {
    if (placed && [style.left, style.top].some(far)) {
      say(element, "position", "absolute");
      say(element, "left", "-9999px");
    }
    const transform = String(element.computedStyleMap().get("transform")); // the computed style has none without a box
    if (transform !== "none") say(element, "transform", transform);
    for (const side of ["height", "width", "max-height", "max-width"])
      if (clips && none(style.getPropertyValue(side)))
        say(element, "overflow", "hidden"), say(element, side, style.getPropertyValue(side));
  };
  const concealed = (element, above, suspects) => {
    const style = getComputedStyle(element);
    if (style.display === "none") say(element, "display", "none");
    if (style.contentVisibility === "hidden") say(element, "content-visibility", "hidden");
    if (parseFloat(style.opacity) <= 0.05) say(element, "opacity", "0");
    const boxless = above.boxless || style.display === "none" || style.contentVisibility === "hidden";
    if (style.visibility !== above.visibility) say(element, "visibility", style.visibility);
    const tiny = parseFloat(style.fontSize) < 2;
    if (tiny !== above.tiny) say(element, "font-size", style.fontSize);
    const indented = parseFloat(style.textIndent) <= -500;
    if (indented !== above.indented) say(element, "text-indent", style.textIndent);
    const placed = style.position === "absolute" || style.position === "fixed";
    if (placed && style.clip !== "auto") say(element, "position", style.position), say(element, "clip", style.clip);
    if (style.clipPath !== "none") say(element, "clip-path", style.clipPath);
    if (!boxless && (placed || style.transform !== "none") && beyond(element)) {
      say(element, "position", "absolute");
      say(element, "left", "-9999px");
    }
    const clips = /hidden|clip/.test(style.overflowX) && /hidden|clip/.test(style.overflowY);
    if (boxless) declared(element, style, placed, clips);
    else if (clips && style.display !== "inline" && style.display !== "contents") {
      if (element.offsetHeight <= 1) say(element, "overflow", "hidden"), say(element, "height", style.height);
      if (element.offsetWidth <= 1) say(element, "overflow", "hidden"), say(element, "width", style.width);
    }
    const ground = numbers(style.backgroundColor);
    const painted = style.backgroundImage !== "none" || (ground && ground[3] > 0 && ground[3] < 0.9);
    const below = painted ? null : ground && ground[3] ? ground : above.ground;
    const ink = numbers(style.webkitTextFillColor || style.color);
    const speaks = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (speaks && ink && style.textShadow === "none") {
      if (ink[3] <= 0.05 && style.backgroundClip !== "text") say(element, "color", "transparent");
      else if (below && alike(ink, below)) {
        if (boxless) paint(element, below);
        else if (suspects.length < MOST_SUSPECTS) suspects.push([element, below]);
      }
    }
    return { visibility: style.visibility, tiny, indented, ground: below, boxless };
  };
  const PICTURES = "img,picture,video,canvas,svg,object,embed,iframe";
  const paints = (element, pseudo) => {
    const style = getComputedStyle(element, pseudo);
    if (pseudo && style.content === "none") return false;
    const ground = numbers(style.backgroundColor);
    return style.backgroundImage !== "none" || Boolean(ground && ground[3]) || (!pseudo && element.matches(PICTURES));
  };
  // Whether something other than the element's ancestors may lie between its text and their ground.
  const lifted = (element) => {
    for (let each = element; each; each = each.parentElement)
      if (paints(each, "::before") || paints(each, "::after")) return true;
    element.scrollIntoView({ block: "center", behavior: "instant" });
    const range = document.createRange();
    range.selectNodeContents(element);
    const box = range.getBoundingClientRect();
    const under = document.elementsFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return !under.length || under.some((each) => !each.contains(element) && !element.contains(each) && paints(each));
  };
  const conceal = () => {
    if (!document.body) return;
    const suspects = [];
    const start = { visibility: "visible", tiny: false, indented: false, ground: [255, 255, 255, 1] };
    const open = [[document.documentElement, start]];
    try {
      for (let left = MOST_ELEMENTS; open.length && left > 0; left--) {
        const [element, above] = open.pop();
        if (element.matches(UNSEEN)) continue;
        const state = concealed(element, above, suspects);
        const inside = element.shadowRoot ? [...element.shadowRoot.children, ...element.children] : element.children;
        for (const child of inside) open.push([child, state]);
      }
    } finally {
      write();
    }
    if (!suspects.length) return;
    const [x, y] = [scrollX, scrollY];
    const reachable = new CSSStyleSheet();
    reachable.replaceSync("* { pointer-events: auto !important }");
    const sheets = document.adoptedStyleSheets;
    document.adoptedStyleSheets = [...sheets, reachable];
    for (const [element, ground] of suspects) {
      if (!lifted(element)) paint(element, ground);
    }
    document.adoptedStyleSheets = sheets;
    write();
    scrollTo(x, y);
  };

  globalThis.assay = {
    // Milliseconds without a change, and whether nothing could change it: then the page itself, too.
    quiet: (most, mostLinks) => {
      const complete = document.readyState === "complete";
      const still = complete && !scripted && !handled();
      return { quiet: performance.now() - last, complete, page: still ? assay.read(most, mostLinks) : null };
    },
    // Say no to what asks for consent; take away what does not let itself be told.
    consent: () => {
      const found = document.querySelector(BANNER);
      if (!found) return false;
      const deny = [...document.querySelectorAll(DENY)].find((each) => each.checkVisibility());
      if (deny) deny.click();
      document.querySelectorAll(BANNER).forEach((each) => each.remove());
      return true;
    },
    further: async () => {
      const page = scroller();
      const [height, before] = [page.scrollHeight, changes];
      if (height <= page.clientHeight + 8) return { able: false, height, changed: false };
      if (page.scrollTop + page.clientHeight >= height - 8) {
        page.scrollTop -= page.clientHeight / 2; // some look only at movement
        await frames(1);
      }
      page.scrollTop = height;
      await frames(2);
      await tasks(); // observers are told in tasks behind a frame, under load even behind the next one
      return { able: true, height: page.scrollHeight, changed: changes > before };
    },
    // Past everything once, for what waits to come into sight.
    past: async (most) => {
      const page = scroller();
      const step = Math.max(page.clientHeight * 0.9, page.scrollHeight / most);
      for (let at = 0; at < page.scrollHeight && most-- > 0; at += step) {
        page.scrollTop = at;
        await frames(1);
      }
      page.scrollTop = 0;
    },
    read: (most, mostLinks) => {
      try {
        conceal();
      } catch {
        // a page that has replaced what we ask: its markup stands as it is
      }
      const root = document.documentElement;
      const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
      const html = root ? type + markup(root) : "";
      const links = new Set();
      for (const link of document.links) {
        if (links.size >= mostLinks) break;
        if (/^https?:/.test(link.href)) links.add(link.href.toWellFormed());
      }
      return {
        html: html.slice(0, most).toWellFormed(),
        cut: html.length > most,
        title: document.title.slice(0, 1000).toWellFormed(),
        links: [...links],
      };
    },
  };
})();
