/** Corrects what the viewer's own sheet makes too faint to read (WCAG 2.2, 1.4.3) or wider than a phone. */
export const referenceStyle = `
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
