import type { JsonObject } from '../../schemas/wire/json.ts';
import type { GitField, Setting } from '../kinds/git-side.ts';
import { noHooks } from '../lifecycle/hooks.ts';
import { intOrPercentOf, listOf, numberOf, objectOf } from '../values/read.ts';
import type { ChildKind } from './child-kind.ts';

const ROLLING = ['spec', 'strategy', 'rollingUpdate'];

const PATHS: Partial<Record<GitField, string[]>> = {
  maxUnavailable: [...ROLLING, 'maxUnavailable'],
  maxSurge: [...ROLLING, 'maxSurge'],
  partition: ['spec', 'updateStrategy', 'rollingUpdate', 'partition'],
  policy: ['spec', 'template'],
  type: ['spec', 'strategy', 'type'],
};

/** What a subset has by itself, and what the rules of plans are about. */
const NOT_SETTINGS: ReadonlySet<string> = new Set(['replicas', 'selector', 'template']);

/**
 * How a workload of Kubernetes is read from git, as a child: by all fields of its spec.
 *
 * @param strategyOf its strategy by its spec, with defaults
 * @param immutable fields of its spec that the server does not let change
 */
export function nativeGit(
  strategyOf: (spec: JsonObject) => JsonObject,
  immutable: readonly string[],
): ChildKind['git'] {
  return {
    read(manifest) {
      const spec = objectOf(manifest['spec']);
      const retention = objectOf(spec['persistentVolumeClaimRetentionPolicy']);
      const { maxUnavailable, maxSurge } = objectOf(strategyOf(spec)['rollingUpdate']);
      return {
        units: {
          of: 'replicas',
          n: numberOf(spec['replicas']) ?? 1,
          isWritten: true,
          names: { by: 'cluster' },
          updates: {
            ...{ onDelete: false, policy: 'ReCreate', partition: 0, priorities: undefined, scatter: [] },
            // Recreate has no limit: all pods are unavailable at once.
            maxUnavailable: intOrPercentOf(maxUnavailable) ?? '100%',
            maxSurge: intOrPercentOf(maxSurge),
          },
          pods: {
            selector: objectOf(spec['selector']),
            volumeClaimTemplates: listOf(spec['volumeClaimTemplates']),
            ...{ reuseClaims: true, claimsOutlivePods: true, growsClaims: false },
            claimsDeleted: {
              onScaleIn: retention['whenScaled'] === 'Delete',
              withTarget: retention['whenDeleted'] === 'Delete',
            },
            gracePeriodSeconds: 0,
            minReadySeconds: numberOf(spec['minReadySeconds']) ?? 0,
            progressDeadlineSeconds: numberOf(spec['progressDeadlineSeconds']),
            podsToDelete: [],
            lifecycle: noHooks,
          },
        },
        template: objectOf(spec['template']),
        paused: spec['paused'] === true,
        settings: () => settingsOf(spec, immutable),
      };
    },
    fieldPath: (_, field) => PATHS[field] ?? ['spec', field],
    policyText: ({ kind }) => `Kubernetes recreates the pods of a ${kind}`,
    lint: () => [],
  };
}

function settingsOf(spec: JsonObject, immutable: readonly string[]): Setting[] {
  return Object.entries(spec)
    .filter(([name]) => !NOT_SETTINGS.has(name))
    .map(([name, value]) => ({
      ...{ name, value: value ?? undefined, movesUnits: name === 'paused' },
      ...(immutable.includes(name) && { isImmutable: true as const }),
    }));
}
