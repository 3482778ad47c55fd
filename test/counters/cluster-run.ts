import cluster from 'node:cluster'
import { clusterWindows, countForWorkers } from '../../src/counters/cluster-windows.ts'
import { countersOver } from '../../src/counters/counters.ts'
import { whatCounts } from './scenario.ts'

// A cluster whose worker tells on standard output what its counters have done.

if (cluster.isPrimary) {
  countForWorkers()
  cluster.fork()
} else {
  const counters = countersOver(clusterWindows(10_000))
  process.stdout.write(JSON.stringify(await whatCounts(counters)), () => process.exit())
}
