// Ask again, at growing intervals, while work goes on at the server; not while nobody looks, and never after the end.

const FIRST_MS = 3_000;
const LONGEST_MS = 20_000;
const MOST_FAILURES = 4;

// `ask` resolves to whether the work goes on. Returns a function that ends the asking.
function follow(ask) {
  let timer = 0;
  let pause = FIRST_MS;
  let failures = 0;
  const stop = () => {
    clearTimeout(timer);
    timer = -1;
  };
  const again = () => {
    if (timer !== -1 && canCallTools()) timer = setTimeout(tick, pause);
    pause = Math.min(pause * 1.4, LONGEST_MS);
  };
  async function tick() {
    if (window.document.hidden) return again();
    try {
      if (!(await ask())) return stop();
      failures = 0;
    } catch (failure) {
      failures += 1;
      if (failures >= MOST_FAILURES) {
        say(`The state is no longer updated: ${cut(failure.message, 200)}`);
        return stop();
      }
    }
    again();
  }
  host.onEnd.push(stop);
  again();
  return stop;
}
