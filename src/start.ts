import cluster from 'node:cluster'
import { leadCluster, serveInCluster } from './cluster.ts'
import { loadConfig } from './config.ts'
import { prepareStorage } from './demo-file.ts'
import type { DemoCredentials } from './domain/demo/credentials.ts'
import type { Life } from './lifecycle.ts'
import { openService } from './service.ts'
import { openLog } from './telemetry/logger.ts'
import { welcome } from './welcome.ts'

/** Starts the service as the environment says: one process, the first of several, or one of the others. */
export async function start(life: Life): Promise<void> {
  const config = loadConfig()
  openLog(config.logLevel)
  if (cluster.isWorker) return serveInCluster(config, life)
  if (config.processes > 1) return leadCluster(config, life)

  let demo: DemoCredentials | undefined
  const findTarget = async () => {
    const storage = await prepareStorage(config, life)
    demo = storage.demo
    return storage.target
  }
  await openService(config, life, { findTarget })
  welcome(config, demo)
}
