/** As the page itself looks before any script has run, so that nothing jumps. */
export function Splash() {
  return (
    <p className="splash" role="status">
      Loading the console…
    </p>
  )
}
