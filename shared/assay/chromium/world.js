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

  const handled = () =>
    document.evaluate("boolean(//@*[starts-with(name(),'on')])", document, null, XPathResult.BOOLEAN_TYPE, null)
      .booleanValue;

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
