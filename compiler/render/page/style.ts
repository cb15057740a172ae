/** How the page looks: the colors of the system, in light and dark, and on paper. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #f3f4f6; --line: #c9ced6; --muted: #57606a; --old: #9aa4b2; --new: #1f6feb; --bad: #b42318; --limit: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --soft: #161b22; --line: #3d444d; --muted: #9198a1; --old: #656c76; --new: #58a6ff; --bad: #ff7b72; --limit: #d29922; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 0; } h3 { font-size: 1rem; margin: 0; display: inline; }
p, ul { margin: .4rem 0; } ul { padding-left: 1.2rem; }
code, .mark { font-family: ui-monospace, monospace; font-size: .9em; }
.filter { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 1rem 0; }
.filter output:empty { margin-left: -.5rem; }
.filter input { flex: 1 1 16rem; padding: .4rem .6rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: .3rem; }
.group { margin: 0 0 1rem; padding: .8rem 1rem; border: 1px solid var(--line); border-left-width: .4rem; border-radius: .3rem; }
.group.risky { border-left-color: var(--bad); }
.risk { display: inline-block; margin: 0 .3rem .2rem 0; padding: 0 .4rem; border: 1px solid var(--bad); border-radius: .3rem; color: var(--bad); font-size: .85rem; }
details { margin: .3rem 0; padding: .3rem .6rem; background: var(--soft); border-radius: .3rem; }
summary { cursor: pointer; }
:focus-visible { outline: 2px solid var(--new); outline-offset: 2px; }
figure { margin: .5rem 0; overflow-x: auto; }
figcaption { min-height: 3em; color: var(--muted); font-size: .9rem; }
svg { display: block; }
svg text { fill: var(--muted); font: 11px system-ui, sans-serif; }
.old { fill: var(--old); } .new { fill: var(--new); } .gate { fill: none; stroke: var(--limit); stroke-width: 2; }
.axis { stroke: var(--line); } .limit { stroke: var(--limit); stroke-dasharray: 4 3; }
.step:focus { outline: none; } .step:focus .hit, .step:hover .hit { stroke: var(--ink); }
.hit { fill: transparent; stroke: transparent; }
.step.coming rect:not(.hit), .step.coming circle { opacity: .35; } .step.now .hit { stroke: var(--new); stroke-dasharray: 4 3; }
.step.failed .new { fill: var(--bad); } .step.failed .gate { stroke: var(--bad); }
th { white-space: nowrap; } td:first-child { min-width: 6rem; } td:nth-child(2) { min-width: 7.5rem; } td:nth-child(3) { min-width: 6rem; } .state { white-space: nowrap; }
.steps td { min-width: 0; } .steps .what { min-width: 5rem; } .steps td:first-child { min-width: 5.3rem; } .steps th, .steps td { padding: .2rem .4rem; }
.table { overflow-x: auto; } table { margin: .6rem 0; border-collapse: collapse; font-size: .9rem; } th, td { padding: .2rem .6rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
.count { text-align: right; } .muted { color: var(--muted); }
@media print { .filter { display: none; } body { max-width: none; } details { background: none; border: 1px solid var(--line); } .group { break-inside: avoid-page; } }
`;

/** Filters the groups and targets, and says in words what a step of a timeline is about. The page is whole without it. */
export const SCRIPT = `
const input = document.getElementById('filter');
const shown = document.getElementById('shown');
const groups = [...document.querySelectorAll('.group')];
function filter() {
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const group of groups) {
    const about = group.dataset.about ?? '';
    let any = false;
    for (const each of group.querySelectorAll('.target')) {
      const text = about + ' ' + (each.dataset.name ?? '');
      each.hidden = !words.every((word) => text.includes(word));
      if (!each.hidden) { any = true; count += 1; }
    }
    group.hidden = !any;
  }
  shown.textContent = words.length === 0 ? '' : count === 1 ? '1 target' : count + ' targets';
}
input.addEventListener('input', filter);
function say(event) {
  const step = event.target.closest?.('.step');
  const words = step?.closest('figure')?.querySelector('figcaption');
  if (words) words.textContent = step.getAttribute('aria-label');
}
document.addEventListener('focusin', say);
document.addEventListener('pointerover', say);
const seconds = Number(document.body.dataset.reload ?? 0);
const isUntouched = () => input.value === '' && !document.hidden && document.activeElement === document.body && document.querySelector('details[open]') === null;
if (seconds > 0) setInterval(() => { if (isUntouched()) location.reload(); }, seconds * 1000);
addEventListener('beforeprint', () => { for (const each of document.querySelectorAll('details')) each.open = true; });
`;
