import { BaseSequencer, type TestSpecification } from 'vitest/node'

const LONG = /\/test\/(process|cli|database\/(driver|embedded))\//

/** Begins with the files that start whole processes, so that no core waits for one of them at the end. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
