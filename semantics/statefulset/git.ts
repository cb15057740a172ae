import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GitField, GitManifest, GitSide, Setting } from '../kinds/git-side.ts';
import { revisionOf } from '../revision/revision.ts';
import { RESIZE_ANNOTATION } from '../template/update-policy.ts';
import { objectOf } from '../values/read.ts';
import { lintStatefulSet } from './git-lint.ts';
import { namedPods } from './git-names.ts';
import { type NormalStatefulSet, normalizeStatefulSet } from './normalize.ts';
import { rangeText } from './ordinals.ts';
import { newPod } from './pods.ts';
import { layoutOf } from './slots.ts';
import { statefulSetView } from './view.ts';

/** How a StatefulSet is read from git. */
export const statefulSetGit: GitSide = {
  read,
  fieldPath: (_, field) => PATHS[field] ?? ['spec', field],
  policyText,
  lint: lintStatefulSet,
  units,
  native: { group: 'apps', kind: 'StatefulSet' },
};

function read(manifest: KubeObject): GitManifest {
  const normal = normalizeStatefulSet(manifest);
  return {
    units: {
      of: 'replicas',
      n: normal.replicas,
      isWritten: typeof objectOf(manifest['spec'])['replicas'] === 'number',
      names: { by: 'manifest', ...namedPods },
      updates: {
        onDelete: normal.onDelete,
        policy: normal.policy,
        resizes: normal.resizes,
        partition: normal.partition,
        maxUnavailable: normal.isOrdered ? 1 : normal.maxUnavailable,
        maxSurge: undefined,
        priorities: normal.priorities,
        scatter: [],
      },
      pods: {
        selector: normal.selector,
        volumeClaimTemplates: normal.volumeClaimTemplates,
        reuseClaims: true,
        claimsOutlivePods: true,
        growsClaims: normal.growsClaims,
        claimsDeleted: {
          onScaleIn: normal.claimsWhenScaled === 'Delete',
          withTarget: normal.claimsWhenDeleted === 'Delete',
        },
        gracePeriodSeconds: normal.gracePeriodSeconds,
        minReadySeconds: normal.minReadySeconds,
        progressDeadlineSeconds: undefined,
        podsToDelete: [],
        lifecycle: normal.lifecycle,
      },
    },
    template: normal.template,
    paused: normal.paused,
    settings: () => settingsOf(normal),
  };
}

type SettingKey = Exclude<keyof NormalStatefulSet, 'template' | 'replicas' | 'partition'>;

/** The name of each setting in a manifest. */
const NAMES: Readonly<Record<SettingKey, string>> = {
  selector: 'selector',
  serviceName: 'serviceName',
  isOrdered: 'podManagementPolicy',
  volumeClaimTemplates: 'volumeClaimTemplates',
  growsClaims: 'volumeClaimUpdateStrategy.type',
  claimsWhenScaled: 'persistentVolumeClaimRetentionPolicy.whenScaled',
  claimsWhenDeleted: 'persistentVolumeClaimRetentionPolicy.whenDeleted',
  start: 'ordinals.start',
  reserved: 'reserveOrdinals',
  onDelete: 'updateStrategy.type',
  policy: 'podUpdatePolicy',
  resizes: RESIZE_ANNOTATION,
  maxUnavailable: 'maxUnavailable',
  paused: 'paused',
  isUnordered: 'unorderedUpdate',
  priorities: 'priorityStrategy',
  gracePeriodSeconds: 'gracePeriodSeconds',
  minReadySeconds: 'minReadySeconds',
  revisionHistoryLimit: 'revisionHistoryLimit',
  scaleMaxUnavailable: 'scaleStrategy.maxUnavailable',
  lifecycle: 'lifecycle',
};

/** Settings whose change moves or deletes pods, or lets a waiting rollout continue. */
const MOVING: ReadonlySet<SettingKey> = new Set(['start', 'reserved', 'paused', 'onDelete']);

/** Settings that the API server does not let change. The selector has a rule of its own. */
const IMMUTABLE: ReadonlySet<SettingKey> = new Set(['serviceName', 'isOrdered']);

/** Settings that decide which ordinals have a pod. */
const NAMING: ReadonlySet<SettingKey> = new Set(['start', 'reserved']);

function settingsOf(normal: NormalStatefulSet): Setting[] {
  return (Object.keys(NAMES) as SettingKey[]).map((key) => ({
    name: NAMES[key],
    value: textOf(normal, key),
    movesUnits: MOVING.has(key),
    ...(IMMUTABLE.has(key) && { isImmutable: true }),
    ...(NAMING.has(key) && { namesUnits: true }),
  }));
}

/** A value as a manifest writes it. */
function textOf(normal: NormalStatefulSet, key: SettingKey): Setting['value'] {
  if (key === 'isOrdered') return normal.isOrdered ? 'OrderedReady' : 'Parallel';
  if (key === 'growsClaims') return normal.growsClaims ? 'OnPodRollingUpdate' : 'OnDelete';
  if (key === 'onDelete') return normal.onDelete ? 'OnDelete' : 'RollingUpdate';
  if (key === 'reserved') return normal.reserved.map(rangeText);
  return normal[key];
}

const STRATEGY = ['spec', 'updateStrategy'];
const ROLLING = [...STRATEGY, 'rollingUpdate'];

/** Fields that are not directly below `spec`. */
const PATHS: Partial<Record<GitField, string[]>> = {
  maxUnavailable: [...ROLLING, 'maxUnavailable'],
  partition: [...ROLLING, 'partition'],
  policy: [...ROLLING, 'podUpdatePolicy'],
  minReadySeconds: [...ROLLING, 'minReadySeconds'],
  type: [...STRATEGY, 'type'],
};

/** `podUpdatePolicy is ReCreate`, and whether the value is the default. */
function policyText(manifest: KubeObject): string {
  const strategy = objectOf(objectOf(manifest['spec'])['updateStrategy']);
  if (strategy['type'] === 'OnDelete') return 'updateStrategy.type is OnDelete';
  const isWritten = objectOf(strategy['rollingUpdate'])['podUpdatePolicy'] === 'ReCreate';
  return `podUpdatePolicy is ReCreate${isWritten ? '' : ', the default'}`;
}

function units(
  target: KubeObject,
  revisions: readonly KubeObject[],
  hashes: readonly string[],
  now: number,
): KubeObject[] {
  const view = statefulSetView({ target, pods: [], revisions });
  const { slots } = layoutOf({ ...view, spec: { ...view.spec, replicas: hashes.length } });
  return slots.map((slot) => {
    const hash = hashes[slot.index];
    const revision = revisionOf(view, hash);
    if (revision === undefined) throw new Error(`no revision has the hash ${hash ?? ''}`);
    return newPod(view, revision, slot, now);
  });
}
