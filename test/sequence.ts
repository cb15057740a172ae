import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { END_TO_END } from './drawn-files.ts';

/** Files that take a minute or more of the full lane, those that compute beside those that wait. A lane ends when its last file does. */
export const longest: readonly string[] = [
  'test/conformance/plays.test.ts',
  'test/docs/commands.test.ts',
  'test/stories/stories.test.ts',
  'test/e2e/rollouts/rollouts.test.ts',
  'test/deploy/engine-kinds.test.ts',
  'test/deploy/install.test.ts',
  'test/e2e/sidecar-hot-upgrade.test.ts',
];

/**
 * The order in which files begin: the longest first, and those that wait for rollouts end to end among the first two thirds of the
 * others, so that few of them wait at once, and none begins late.
 *
 * @param files paths from the root, in any order
 */
export function inSequence(files: readonly string[]): string[] {
  const first = longest.filter((file) => files.includes(file));
  const others = files.filter((file) => !longest.includes(file));
  const waiting = others.filter((file) => file.startsWith(END_TO_END));
  const busy = others.filter((file) => !file.startsWith(END_TO_END));
  const every = Math.max(1, Math.floor((2 * busy.length) / 3 / Math.max(1, waiting.length)));
  const mixed = busy.flatMap((file, at) => {
    const beside = at % every === 0 ? waiting[at / every] : undefined;
    return beside === undefined ? [file] : [beside, file];
  });
  return [...first, ...mixed, ...waiting.slice(Math.ceil(busy.length / every))];
}

/** Begins files as `inSequence` says. Projects follow one another as vitest has them. */
export class Sequence extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = new Map<string, Map<string, TestSpecification[]>>();
    for (const spec of await super.sort(files)) {
      const { name } = spec.project;
      const specs = projects.get(name) ?? new Map<string, TestSpecification[]>();
      const path = relative(this.ctx.config.root, spec.moduleId);
      projects.set(name, specs.set(path, [...(specs.get(path) ?? []), spec]));
    }
    return [...projects.values()].flatMap((specs) =>
      inSequence([...specs.keys()]).flatMap((path) => specs.get(path) ?? []),
    );
  }
}
