import { hasErrors } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import { createBudget } from './budget.ts';
import { type GitPods, readGitPods } from './git-pods.ts';
import type { IgnoredPaths } from './ignored-paths.ts';
import type { InjectorManifest } from './injector-manifest.ts';
import type { Limits } from './limits.ts';
import { loadState, type State } from './manifests.ts';
import { createParseCache } from './parse-cache.ts';

/** What the other roots of a run have. Nothing of it was validated. */
export interface Elsewhere {
  injectors: readonly InjectorManifest[];
  /** Undefined: not all of them are known. */
  pods: () => GitPods | undefined;
}

/** Reads other roots of kruise.yaml, whose problems are reported when they are planned or validated themselves. */
export function readElsewhere(
  host: CompilerHost,
  states: readonly State[],
  ignoredFiles: IgnoredPaths,
  limits: Limits | undefined,
): Elsewhere {
  const loaded = states.map((state) =>
    loadState(host, state, createParseCache(), createBudget(limits), ignoredFiles),
  );
  return {
    injectors: loaded.flatMap(({ injectors }) => injectors),
    pods: () => {
      if (loaded.some(({ diagnostics }) => hasErrors(diagnostics))) return undefined;
      return withAll(loaded.map(({ podFiles }) => readGitPods(host, podFiles, createBudget(limits))));
    },
  };
}

/** The pods of several states as those of one; undefined if those of one are not known. */
export function withAll(states: readonly (GitPods | undefined)[]): GitPods | undefined {
  const known = states.filter((each) => each !== undefined);
  if (known.length < states.length) return undefined;
  return {
    workloads: known.flatMap(({ workloads }) => workloads),
    namespaces: new Map(known.flatMap(({ namespaces }) => [...namespaces])),
  };
}
