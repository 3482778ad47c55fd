import cluster from 'node:cluster'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadConfig } from './config.ts'
import { leadCluster, serveInCluster } from './process/cluster/primary.ts'
import type { Lifecycle } from './process/lifecycle.ts'
import { openFilesWarnings } from './process/open-files.ts'
import { openService } from './process/service.ts'
import { startWarnings } from './process/start-warnings.ts'
import { prepareStorage } from './process/storage.ts'
import { welcome } from './process/welcome.ts'
import { logger, openLog } from './telemetry/logger.ts'

/** What worker processes run: beside this file, both here and in dist/. */
const mainFile = fileURLToPath(new URL(`./main${extname(import.meta.url)}`, import.meta.url))

/** Starts the service as the environment says: as a single process, or as the primary or a worker process of a cluster. */
export async function start(lifecycle: Lifecycle): Promise<void> {
  const config = loadConfig()
  openLog(config.logLevel)
  if (cluster.isWorker) return serveInCluster(config, lifecycle)
  for (const warning of [...startWarnings(config), ...openFilesWarnings()]) logger.warn(warning)
  if (config.processes > 1) return leadCluster(config, lifecycle, mainFile)

  const openStorage = (storageLifecycle: Lifecycle) => prepareStorage(config, storageLifecycle)
  const { demo } = await openService(config, lifecycle, { openStorage })
  welcome(config, demo)
}
