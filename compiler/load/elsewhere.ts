import { hasErrors } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from './budget.ts';
import { loadConfig } from './configuration.ts';
import { type GitPods, readGitPods } from './git-pods.ts';
import { ignoredPaths } from './ignored-paths.ts';
import type { InjectorManifest } from './injector-manifest.ts';
import { loadState, type State } from './manifests.ts';
import { onceOnly } from './once-only.ts';
import { createParseCache } from './parse-cache.ts';

/** What other roots of a run have. Nothing of it was validated. */
export interface Elsewhere {
  injectors: readonly InjectorManifest[];
  /** Undefined: not all of them are known. */
  pods: () => GitPods | undefined;
}

/** One of several roots, which is read when another one asks for it first: its problems are reported where it is planned. */
export type OtherRoot = () => Elsewhere;

export function otherRoot(host: CompilerHost, state: State, budget: Budget): OtherRoot {
  return onceOnly(() => {
    const ignoredFiles = ignoredPaths(loadConfig(host, state.root, budget));
    const loaded = loadState(host, state, createParseCache(), budget, ignoredFiles);
    const { injectors, podFiles } = loaded;
    const isKnown = !hasErrors(loaded.diagnostics);
    return { injectors, pods: onceOnly(() => (isKnown ? readGitPods(host, podFiles, budget) : undefined)) };
  });
}

export function readElsewhere(roots: readonly OtherRoot[]): Elsewhere {
  const read = roots.map((each) => each());
  return {
    injectors: read.flatMap(({ injectors }) => injectors),
    pods: () => withAll(read.map(({ pods }) => pods())),
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
