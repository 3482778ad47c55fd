import {
  Anchor,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  Menu,
  Modal,
  Notification,
  PasswordInput,
} from '@mantine/core'

/** Shades around the accent colour of the login pages. */
const iris: MantineColorsTuple = [
  '#eef0ff',
  '#dcdfff',
  '#b9c0ff',
  '#a9b4ff',
  '#8491ff',
  '#6070f0',
  '#4b5de4',
  '#3b4fd8',
  '#3141b5',
  '#283594',
]

export const theme = createTheme({
  primaryColor: 'iris',
  primaryShade: { light: 7, dark: 6 },
  colors: { iris },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  components: {
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    // a menu may not contain the placeholder that takes the focus (axe: aria-required-children)
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close this message' } } }),
    PasswordInput: PasswordInput.extend({
      defaultProps: {
        visibilityToggleButtonProps: { 'aria-label': 'Show what is typed', tabIndex: 0, 'aria-hidden': false },
      },
    }),
  },
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.6rem' }, h2: { fontSize: '1.2rem' }, h3: { fontSize: '1rem' } },
  },
})

/**
 * Mantine's dimmed colours have too little contrast: WCAG 2.2 asks for 4.5 for small text (1.4.3), and for 3 for the edge of
 * an input and the bars of a chart (1.4.11).
 */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#565b66',
    '--mantine-color-placeholder': '#6b7080',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-anchor': '#3141b5',
    '--ground': '#f8f9fb',
    '--edge': '#8a8f9b',
    '--good': '#1d6b36',
    '--bad': '#b3261e',
    '--warn': '#8a5300',
    '--quiet-accent-bar': '#7986f7',
    '--bad-bar': '#b3261e',
    '--warn-bar': '#c27f00',
  },
  dark: {
    '--mantine-color-body': '#16171d',
    '--mantine-color-dimmed': '#b0b3bd',
    '--mantine-color-placeholder': '#9a9da8',
    '--mantine-color-error': '#ffb4ab',
    '--mantine-color-anchor': '#b9c0ff',
    '--ground': '#111217',
    '--edge': '#70747f',
    '--good': '#8fdca6',
    '--bad': '#ffb4ab',
    '--warn': '#f2c078',
    '--quiet-accent-bar': '#b9c0ff',
    '--bad-bar': '#f2665c',
    '--warn-bar': '#f2c078',
  },
})
