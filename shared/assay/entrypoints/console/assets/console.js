// Progressive enhancements. Every page reads and every form works without this script.

// A part of a page with data-poll="seconds" is replaced by its successor until that no longer has the attribute.
async function poll(part) {
  await new Promise((resolve) => setTimeout(resolve, Number(part.dataset.poll) * 1000));
  let next = part;
  try {
    const response = await fetch(location.href, { headers: { accept: "text/html" } });
    if (response.status === 429 || response.status >= 500) throw new Error("The server is busy or restarts.");
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    next = page.getElementById(part.id);
    if (!next || response.redirected) return location.reload(); // signed out, or gone
    next = document.adoptNode(next);
    const focused = part.contains(document.activeElement);
    const isOpen = new Map([...part.querySelectorAll("details[data-key]")].map((one) => [one.dataset.key, one.open]));
    for (const one of next.querySelectorAll("details[data-key]")) one.open = isOpen.get(one.dataset.key) ?? one.open;
    part.replaceWith(next);
    if (focused) next.querySelector("button, a")?.focus();
  } catch {
    // the next attempt may succeed
  }
  if (next.dataset.poll) poll(next);
}

for (const part of document.querySelectorAll("[data-poll]")) poll(part);

// A form that takes its time says so, and is sent once.
for (const form of document.querySelectorAll("form[data-call]")) {
  form.addEventListener("submit", () => {
    const button = form.querySelector("button:not([type])");
    button.setAttribute("aria-busy", "true");
    setTimeout(() => (button.disabled = true)); // after the browser has collected the fields
  });
}
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("form[data-call] button")) {
    button.disabled = false;
    button.removeAttribute("aria-busy");
  }
});

// What the person asked for gets the focus: the first wrong field, else the answer.
(document.querySelector("[aria-invalid=true]") ?? document.getElementById("answer"))?.focus();

// What is there to copy gets a button.
for (const text of document.querySelectorAll("pre[data-copy]")) {
  if (!navigator.clipboard) break; // an address that is neither https nor loopback
  const button = document.createElement("button");
  button.type = "button";
  button.className = "secondary outline copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = "Copied";
  });
  text.after(button);
}
