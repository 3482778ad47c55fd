/** Looks like the page before any script has run, so that nothing jumps. */
export function Splash() {
  return (
    <p className="splash" role="status">
      Loading the console…
    </p>
  )
}
