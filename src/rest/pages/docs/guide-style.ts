/** The one style sheet of the guides: a column to read, a list to choose from, light or dark as the reader has it. */
export const guideStyle = `
:root {
  color-scheme: light dark;
  --ink: #1b1b1f; --quiet: #565b66; --ground: #f8f9fb; --card: #ffffff; --line: #dde0e6; --accent: #3141b5;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #ececf1; --quiet: #b0b3bd; --ground: #111217; --card: #16171d; --line: #34363f; --accent: #b9c0ff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word; }
header { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; justify-content: space-between; padding: 0.9rem 1.25rem; background: var(--card); border-bottom: 1px solid var(--line); }
header nav { display: flex; flex-wrap: wrap; gap: 1.25rem; }
.home { color: inherit; font-weight: 650; text-decoration: none; }
.columns { display: grid; grid-template-columns: 13rem minmax(0, 46rem) 13rem; gap: 2.5rem; justify-content: center; padding: 1.5rem 1.25rem 4rem; }
.columns > nav { position: sticky; top: 1.5rem; align-self: start; max-height: calc(100vh - 3rem); overflow-y: auto; }
.columns > nav ul { list-style: none; margin: 0; padding: 0; }
.columns > nav a { display: block; padding: 0.3rem 0.7rem; border-radius: 8px; color: inherit; text-decoration: none; }
.columns > nav a:hover { background: var(--card); }
.columns > nav a[aria-current] { color: var(--accent); font-weight: 600; background: var(--card); }
h1 { margin: 0 0 1rem; font-size: 2rem; line-height: 1.2; }
h2 { margin: 2.2rem 0 0.6rem; font-size: 1.35rem; }
h3 { margin: 1.6rem 0 0.5rem; font-size: 1.1rem; }
a { color: var(--accent); }
code { font: 0.875em/1.5 ui-monospace, Menlo, Consolas, monospace; }
:not(pre) > code { padding: 0.1em 0.3em; border-radius: 4px; background: var(--card); border: 1px solid var(--line); overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: 0.9rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.95rem; }
th, td { padding: 0.45rem 0.75rem 0.45rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td:first-child { min-width: 7rem; }
td:first-child code { white-space: nowrap; }
tr:has(:target) { background: var(--card); outline: 2px solid var(--accent); }
.guides { list-style: none; padding: 0; }
.guides li { padding: 0.8rem 0; border-top: 1px solid var(--line); color: var(--quiet); }
.guides a { font-weight: 600; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.outline p { margin: 0 0.7rem 0.3rem; color: var(--quiet); font-weight: 600; font-size: 0.9rem; }
.outline a { font-size: 0.9rem; color: var(--quiet); }
.outline-fold { display: none; margin: 0 0 1.5rem; }
.outline-fold summary { cursor: pointer; color: var(--accent); }
.outline-fold .depth-3 { margin-left: 1rem; }
.outline .depth-3 a { padding-left: 1.5rem; }
form[role=search] { display: flex; flex-wrap: wrap; gap: 0.4rem; margin: 0 0 0.9rem; }
form[role=search] label { flex-basis: 100%; color: var(--quiet); font-size: 0.9rem; }
form[role=search] input { flex: 1; min-width: 6rem; }
form[role=search] :is(input, button), .copy { padding: 0.3rem 0.6rem; border: 1px solid var(--quiet); border-radius: 8px; background: var(--card); color: var(--ink); font: inherit; font-size: 0.9rem; }
button { cursor: pointer; }
.example { position: relative; }
.example .copy { position: absolute; top: 0.5rem; right: 0.5rem; font-size: 0.8rem; }
.next { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.next a { font-weight: 600; }
.next [rel=next] { margin-left: auto; text-align: right; }
.next small { display: block; color: var(--quiet); font-weight: 400; }
@media (max-width: 76rem) {
  .columns { grid-template-columns: 13rem minmax(0, 46rem); }
  .outline { display: none; }
  .outline-fold { display: block; }
}
@media (max-width: 56rem) {
  .columns { grid-template-columns: minmax(0, 1fr); gap: 1rem; }
  .columns > nav { position: static; max-height: none; }
  .columns > nav:first-child ul { display: flex; flex-wrap: wrap; }
}
`
