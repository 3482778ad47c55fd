import cluster from 'node:cluster'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadConfig } from './config.ts'
import type { DemoCredentials } from './domain/demo/credentials.ts'
import { leadCluster, serveInCluster } from './process/cluster/primary.ts'
import { prepareStorage } from './process/demo.ts'
import type { Lifecycle } from './process/lifecycle.ts'
import { openService } from './process/service.ts'
import { welcome } from './process/welcome.ts'
import { openLog } from './telemetry/logger.ts'

/** What a further process runs: beside this file, here and in dist/. */
const mainFile = fileURLToPath(new URL(`./main${extname(import.meta.url)}`, import.meta.url))

/** Starts the service as the environment says: one process, the first of several, or one of the others. */
export async function start(life: Lifecycle): Promise<void> {
  const config = loadConfig()
  openLog(config.logLevel)
  if (cluster.isWorker) return serveInCluster(config, life)
  if (config.processes > 1) return leadCluster(config, life, mainFile)

  let demo: DemoCredentials | undefined
  const findTarget = async () => {
    const storage = await prepareStorage(config, life)
    demo = storage.demo
    return storage.target
  }
  await openService(config, life, { findTarget })
  welcome(config, demo)
}
