import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GitField, GitManifest, GitSide, Setting } from '../kinds/git-side.ts';
import { revisionOf } from '../revision/revision.ts';
import { RECREATE_FOR_CLAIMS_ANNOTATION, RESIZE_ANNOTATION } from '../template/update-policy.ts';
import { isObject } from '../values/json-shape.ts';
import { lintCloneSet } from './git-lint.ts';
import {
  type NormalCloneSet,
  normalizeCloneSet,
  PARTITION_ROLLBACK_ANNOTATION,
  PREPARING_UPDATE_ANNOTATION,
} from './normalize.ts';
import { newPod, nextIdentities } from './pods.ts';
import { cloneSetView } from './view.ts';

/** How a CloneSet is read from git. */
export const cloneSetGit: GitSide = {
  read,
  fieldPath,
  policyText,
  lint: lintCloneSet,
  units,
  native: undefined,
};

function read(manifest: KubeObject): GitManifest {
  const normal = normalizeCloneSet(manifest);
  return {
    units: {
      of: 'replicas',
      n: normal.replicas,
      isWritten: typeof valueAt(manifest, ['spec', 'replicas']) === 'number',
      names: { by: 'cluster' },
      updates: {
        onDelete: normal.type === 'OnDelete',
        policy: normal.policy,
        resizes: normal.resizes,
        recreatesForClaims: normal.recreatesForClaims,
        partition: normal.partition,
        maxUnavailable: normal.maxUnavailable,
        maxSurge: normal.maxSurge,
        priorities: normal.priorities,
        scatter: normal.scatter,
      },
      pods: {
        selector: normal.selector,
        volumeClaimTemplates: normal.volumeClaimTemplates,
        reuseClaims: normal.reuseClaims,
        claimsOutlivePods: false,
        growsClaims: false,
        claimsDeleted: { onScaleIn: true, withTarget: true },
        gracePeriodSeconds: normal.gracePeriodSeconds,
        minReadySeconds: normal.minReadySeconds,
        progressDeadlineSeconds: normal.progressDeadlineSeconds,
        podsToDelete: normal.podsToDelete,
        lifecycle: normal.lifecycle,
      },
    },
    template: normal.template,
    paused: normal.paused,
    // Computed on demand and from the manifest: few targets need it, and a run keeps this object for all.
    settings: () => settingsOf(normalizeCloneSet(manifest)),
  };
}

type SettingKey = Exclude<keyof NormalCloneSet, 'template' | 'spreadOver' | 'replicas' | 'partition'>;

/** The name of each setting in a manifest. The path of `policy` depends on the version. */
const NAMES: Readonly<Record<SettingKey, string>> = {
  selector: 'selector',
  volumeClaimTemplates: 'volumeClaimTemplates',
  reuseClaims: 'reuse of claims',
  type: 'updateStrategy.type',
  policy: 'update policy',
  resizes: RESIZE_ANNOTATION,
  recreatesForClaims: RECREATE_FOR_CLAIMS_ANNOTATION,
  maxUnavailable: 'maxUnavailable',
  maxSurge: 'maxSurge',
  paused: 'paused',
  partitionRollback: PARTITION_ROLLBACK_ANNOTATION,
  priorities: 'priorityStrategy',
  scatter: 'scatterStrategy',
  gracePeriodSeconds: 'gracePeriodSeconds',
  preDownload: 'imagePreDownload…',
  minReadySeconds: 'minReadySeconds',
  revisionHistoryLimit: 'revisionHistoryLimit',
  progressDeadlineSeconds: 'progressDeadlineSeconds',
  podsToDelete: 'podsToDelete',
  scaleMaxUnavailable: 'scaleStrategy.maxUnavailable',
  lifecycle: 'lifecycle',
  excludePreparingDelete: 'scaleStrategy.excludePreparingDelete',
  preparingCountsAsUpdated: PREPARING_UPDATE_ANNOTATION,
};

/** Settings whose change deletes pods, or lets a waiting rollout continue. */
const MOVING: ReadonlySet<SettingKey> = new Set(['podsToDelete', 'paused', 'type']);

function settingsOf(normal: NormalCloneSet): Setting[] {
  return (Object.keys(NAMES) as SettingKey[]).map((key) => ({
    name: NAMES[key],
    value: normal[key],
    movesUnits: MOVING.has(key),
  }));
}

/** `updateStrategy.type is ReCreate`: the field of this version, and whether the value is the default. */
function policyText(manifest: KubeObject): string {
  const strategy = ['spec', 'updateStrategy'];
  const type = valueAt(manifest, [...strategy, 'type']);
  if (type === 'OnDelete') return 'updateStrategy.type is OnDelete';
  const name = isAlpha(manifest) ? 'updateStrategy.type' : 'podUpdatePolicy';
  const rolling = valueAt(manifest, [...strategy, 'rollingUpdate', 'podUpdatePolicy']);
  const written = type === 'ReCreate' || rolling === 'ReCreate';
  return `${name} is ReCreate${written ? '' : ', the default'}`;
}

function fieldPath(manifest: KubeObject, field: GitField): string[] {
  switch (field) {
    case 'maxSurge':
    case 'maxUnavailable':
    case 'partition':
      return strategyPath(manifest, field);
    case 'podsToDelete':
      return ['spec', 'scaleStrategy', 'podsToDelete'];
    case 'policy':
      return policyPath(manifest);
    case 'reuseClaims':
      return reusePath(manifest);
    case 'type':
      return ['spec', 'updateStrategy', 'type'];
    case 'boundSelector':
    case 'lifecycle':
    case 'minReadySeconds':
    case 'progressDeadlineSeconds':
    case 'replicas':
    case 'selector':
    case 'template':
    case 'volumeClaimTemplates':
      return ['spec', field];
  }
}

/** Below rollingUpdate if the field is set there. */
function strategyPath(manifest: KubeObject, field: string): string[] {
  const rolling = ['spec', 'updateStrategy', 'rollingUpdate', field];
  return valueAt(manifest, rolling) === undefined ? ['spec', 'updateStrategy', field] : rolling;
}

function policyPath(manifest: KubeObject): string[] {
  const path = ['spec', 'updateStrategy', 'rollingUpdate', 'podUpdatePolicy'];
  return isAlpha(manifest) && valueAt(manifest, path) === undefined
    ? ['spec', 'updateStrategy', 'type']
    : path;
}

function reusePath(manifest: KubeObject): string[] {
  const disabled = ['spec', 'scaleStrategy', 'disablePVCReuse'];
  return valueAt(manifest, disabled) === true ? disabled : ['spec', 'scaleStrategy', 'enablePVCReuse'];
}

function isAlpha({ apiVersion }: KubeObject): boolean {
  return apiVersion.endsWith('/v1alpha1');
}

function units(
  target: KubeObject,
  revisions: readonly KubeObject[],
  hashes: readonly string[],
  now: number,
): KubeObject[] {
  const view = cloneSetView({ target, pods: [], revisions });
  const identities = nextIdentities(view, hashes.length);
  return hashes.flatMap((hash, index) => {
    const [revision, identity] = [revisionOf(view, hash), identities[index]];
    if (revision === undefined || identity === undefined) throw new Error(`no revision has the hash ${hash}`);
    return newPod(view, revision, identity, now);
  });
}

function valueAt(manifest: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    manifest,
  );
}
