import type { KubeObject } from '../../schemas/wire/object.ts';
import { createAbout } from './about.ts';
import { commandResource, planResource } from './plan-resources.ts';
import type { Retention } from './retention.ts';
import type { Enqueue } from './scheduler.ts';
import type { Sources } from './sources.ts';
import type { TargetKey } from './target-key.ts';

/** Plans and commands, by the target that each is about. */
export interface WatchedPlans {
  /** Watches those about targets in namespaces, or those about cluster-scoped targets, unless they are watched. */
  watch(areNamespaced: boolean): void;
  plansOf(key: TargetKey): KubeObject[];
  commandsOf(key: TargetKey): KubeObject[];
  /** The commands about a target that are too large to be cached, and so to be read. */
  oversizedCommandsOf(key: TargetKey): KubeObject[];
}

export interface WatchedPlansOptions {
  sources: Pick<Sources, 'of' | 'always'>;
  retention: Pick<Retention, 'keep' | 'keepCommand' | 'oversized' | 'hasStubs'>;
  enqueue: Enqueue<TargetKey>;
}

export function createWatchedPlans({ sources, retention, enqueue }: WatchedPlansOptions): WatchedPlans {
  const about = createAbout();

  function onPlan(object: KubeObject, gone: boolean): void {
    for (const key of about.file(object, gone)) enqueue(key);
  }

  function onCommand(object: KubeObject, gone: boolean, before: KubeObject | undefined): void {
    const isUrgent = before?.metadata.generation !== object.metadata.generation;
    for (const key of about.file(object, gone)) enqueue(key, 0, isUrgent);
  }

  const all = (key: TargetKey): KubeObject[] => about.of(commandResource(key).kind, key);
  const isWhole = (command: KubeObject): boolean => retention.oversized(command) === undefined;

  return {
    watch(areNamespaced) {
      const of = { namespace: areNamespaced ? 'any' : '' };
      if (sources.of(planResource(of)) !== undefined) return;
      const isAbout = ({ namespace }: TargetKey): boolean => (namespace !== '') === areNamespaced;
      sources.always(planResource(of), retention.keep, onPlan, isAbout);
      sources.always(commandResource(of), retention.keepCommand, onCommand, isAbout);
    },
    plansOf: (key) => about.of(planResource(key).kind, key),
    commandsOf: (key) => all(key).filter(isWhole),
    oversizedCommandsOf: (key) => (retention.hasStubs ? all(key).filter((each) => !isWhole(each)) : []),
  };
}
