/** The one style sheet of the server-rendered pages: a narrow column, readable on a phone, light or dark as the reader has it. */
export const styleSheet = `
:root {
  color-scheme: light dark;
  --ink: #1b1b1f; --quiet: #55555f; --ground: #f6f6f8; --card: #ffffff; --line: #8a8a94; --accent: #3b4fd8; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #ececf1; --quiet: #b0b0bb; --ground: #131316; --card: #1e1e23; --line: #77777f; --accent: #a9b4ff; --bad: #ffb4ab;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 1rem; min-height: 100vh; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif;
}
main { max-width: 26rem; margin: 4vh auto; padding: 1.5rem; background: var(--card); border-radius: 0.75rem; }
h1 { margin: 0 0 1rem; font-size: 1.35rem; line-height: 1.3; overflow-wrap: anywhere; }
p, ul { margin: 0 0 1rem; overflow-wrap: anywhere; }
ul { padding-left: 1.25rem; }
label { display: block; margin-bottom: 1rem; font-weight: 600; }
input {
  display: block; width: 100%; margin-top: 0.25rem; padding: 0.6rem 0.75rem; font: inherit; font-weight: 400; color: inherit;
  background: transparent; border: 1px solid var(--line); border-radius: 0.5rem;
}
button {
  flex: 1; padding: 0.65rem 1rem; font: inherit; font-weight: 600; color: inherit; background: transparent;
  border: 2px solid var(--accent); border-radius: 0.5rem; cursor: pointer;
}
button.link { flex: none; padding: 0; border: 0; color: var(--accent); text-decoration: underline; }
.choices { display: flex; gap: 0.75rem; margin-bottom: 1rem; }
.quiet { color: var(--quiet); font-size: 0.9rem; }
.alert { color: var(--bad); font-weight: 600; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`
