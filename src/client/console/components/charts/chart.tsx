import { Text } from '@mantine/core'
import { type CSSProperties, useState } from 'react'
import { ChartTable } from './chart-table.tsx'
import { niceTop } from './scale.ts'

export type Series = { name: string; tone: 'accent' | 'quiet-accent' | 'bad' | 'warn' }

/** A step of the time axis. `parts` are stacked, one for each series; `values` are the same as text. */
type Step = { at: string; mark: string; title: string; parts: readonly number[]; values: readonly string[] }

export type ChartProps = {
  label: string
  series: readonly Series[]
  steps: readonly Step[]
  describe: (value: number) => string
}

/** Stacked bars over time. A tooltip describes the bar under the pointer; a table beneath holds all values as text. */
export function Chart({ label, series, steps, describe }: ChartProps) {
  const [chosen, setChosen] = useState<number>()
  const top = niceTop(Math.max(...steps.map(({ parts }) => sumOf(parts))))
  const told = chosen === undefined ? undefined : steps[chosen]
  return (
    <figure className="chart" aria-label={label}>
      <Legend series={series} />
      <div className="chart-plot" aria-hidden>
        <ol className="chart-scale">
          {[top, top / 2, 0].map((value) => (
            <li key={value}>{describe(value)}</li>
          ))}
        </ol>
        <ol className="chart-bars" onPointerLeave={() => setChosen(undefined)}>
          {steps.map((step, i) => (
            <li key={step.at} onPointerEnter={() => setChosen(i)} data-chosen={i === chosen || undefined}>
              <Bar step={step} series={series} top={top} />
            </li>
          ))}
        </ol>
        <Marks steps={steps} />
      </div>
      <Text size="sm" c="dimmed" className="chart-told" aria-hidden>
        {told && `${told.title}: ${told.values.map((value, i) => `${series[i]?.name} ${value}`).join(' · ')}`}
      </Text>
      <ChartTable label={label} series={series} steps={steps} />
    </figure>
  )
}

const sumOf = (parts: readonly number[]) => parts.reduce((sum, part) => sum + part, 0)

const Legend = ({ series }: { series: readonly Series[] }) => (
  <ul className="chart-legend">
    {series.map(({ name, tone }) => (
      <li key={name} data-series={tone}>
        {name}
      </li>
    ))}
  </ul>
)

type BarProps = { step: Step; series: readonly Series[]; top: number }

/** The first series stands at the bottom. Even the smallest value is visible. */
const Bar = ({ step: { parts }, series, top }: BarProps) =>
  series
    .map(({ name, tone }, i) => ({ name, tone, part: parts[i] ?? 0 }))
    .filter(({ part }) => part > 0)
    .map(({ name, tone, part }) => (
      <span key={name} data-series={tone} style={{ height: `max(2px, ${(part / top) * 100}%)` }} />
    ))

const MARKS = 4

/** Marks only every few steps, so that they fit on a phone. */
function Marks({ steps }: { steps: readonly Step[] }) {
  const apart = Math.ceil(steps.length / MARKS)
  const marked = steps.filter((_, i) => i % apart === 0)
  const across = { '--steps': steps.length, '--apart': apart } as CSSProperties // a custom property is none of React's
  return (
    <ol className="chart-marks" style={across}>
      {marked.map(({ at, mark }) => (
        <li key={at}>{mark}</li>
      ))}
    </ol>
  )
}
