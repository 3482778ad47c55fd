/**
 * The head of the page, as the guides have it, and corrections of what the viewer's own sheet makes too faint to read (WCAG
 * 2.2, 1.4.3) or wider than a phone.
 */
export const referenceStyle = `
body { margin: 0; }
body > header { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; justify-content: space-between; padding: 0.9rem 1.25rem; border-bottom: 1px solid #8886; font: 1rem/1.6 system-ui, sans-serif; }
body > header nav { display: flex; flex-wrap: wrap; gap: 1.25rem; }
body > header a { color: #1f5fb0; }
html.dark-mode body > header a { color: #b9c0ff; }
body > header .home { color: inherit; font-weight: 650; text-decoration: none; }
html.dark-mode body > header .home { color: #e4e6e6; }
.parts { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; padding: 0.9rem 1.25rem; font: 1rem/1.6 system-ui, sans-serif; }
.parts a { color: inherit; }
.parts a[aria-current] { font-weight: 650; text-decoration: none; }
html:not(.dark-mode) .swagger-ui .info .title small { background: #5c6370; }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #3d6b00; }
html:not(.dark-mode) .swagger-ui :is(.info a, .info .url, .link) { color: #1f5fb0; }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #1d6b45; color: #1d6b45; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #1d6b45; }
html:not(.dark-mode) .swagger-ui .opblock-get .opblock-summary-method { background: #1c62b0; }
html:not(.dark-mode) .swagger-ui .opblock-post .opblock-summary-method { background: #1f7a4d; }
html:not(.dark-mode) .swagger-ui .opblock-delete .opblock-summary-method { background: #b3261e; }
html:not(.dark-mode) .swagger-ui :is(.json-schema-2020-12-expand-deep-button, .parameter__in, .header-example) { color: #565b66; }
html:not(.dark-mode) .swagger-ui .btn.cancel { border-color: #b3261e; color: #b3261e; }
html:not(.dark-mode) .swagger-ui .btn.execute { border-color: #1c62b0; background: #1c62b0; }
html.dark-mode .swagger-ui :is(.header-col, .header-example) { color: #e4e6e6; }
.swagger-ui :is(.opblock-body, .table-container, .responses-inner) { overflow-x: auto; }
`
