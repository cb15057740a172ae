import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GitField, GitManifest, GitSide, Setting } from '../kinds/git-side.ts';
import { ASSUMED_ZONES } from '../kinds/git-units.ts';
import { RESIZE_ANNOTATION } from '../template/update-policy.ts';
import { objectOf } from '../values/read.ts';
import { revisionOf } from '../revision/revision.ts';
import { lintDaemonSet } from './git-lint.ts';
import { writtenLimits } from './limits.ts';
import { idOn, newPod } from './new-pod.ts';
import { normalizeDaemonSet } from './normalize.ts';
import type { NormalDaemonSet } from './spec.ts';
import { daemonSetView } from './view.ts';

const STRATEGY = ['spec', 'updateStrategy'];
const ROLLING = [...STRATEGY, 'rollingUpdate'];

/** How a DaemonSet is read from git. Its nodes are not there: a forecast brings its own. */
export const daemonSetGit: GitSide = {
  read,
  fieldPath: (_, field) => PATHS[field] ?? ['spec', field],
  policyText,
  lint: lintDaemonSet,
  units: podsOnNodes,
  native: { group: 'apps', kind: 'DaemonSet' },
};

function read(manifest: KubeObject): GitManifest {
  const normal = normalizeDaemonSet(manifest);
  const onDelete = normal.strategy.type === 'OnDelete';
  return {
    units: {
      of: 'nodes',
      updates: {
        onDelete,
        policy: normal.policy,
        ...(normal.resizes !== undefined && { resizes: normal.resizes }),
        partition: normal.partition,
        ...writtenLimits(manifest),
        priorities: undefined,
        scatter: [],
      },
      pods: {
        selector: normal.selector,
        volumeClaimTemplates: [],
        reuseClaims: false,
        claimsOutlivePods: false,
        growsClaims: false,
        claimsDeleted: { onScaleIn: false, withTarget: false },
        gracePeriodSeconds: 0,
        minReadySeconds: normal.minReadySeconds,
        progressDeadlineSeconds: undefined,
        podsToDelete: [],
        lifecycle: normal.lifecycle,
      },
      shown: undefined,
      zones: ASSUMED_ZONES,
      within: normal.nodeSelector,
    },
    template: normal.template,
    paused: normal.paused,
    settings: () => settingsOf(manifest, normalizeDaemonSet(manifest)),
  };
}

function settingsOf(manifest: KubeObject, normal: NormalDaemonSet): Setting[] {
  const { maxUnavailable, maxSurge } = writtenLimits(manifest);
  const onDelete = normal.strategy.type === 'OnDelete';
  const moving: [name: string, value: Setting['value']][] = [
    ['updateStrategy.type', onDelete ? 'OnDelete' : 'RollingUpdate'],
    ['paused', normal.paused],
  ];
  const others: [name: string, value: Setting['value']][] = [
    ['selector', normal.selector],
    ['rollingUpdateType', normal.policy === 'InPlaceIfPossible' ? 'InPlaceIfPossible' : 'Standard'],
    [RESIZE_ANNOTATION, normal.resizes],
    ['maxUnavailable', maxUnavailable],
    ['maxSurge', maxSurge],
    ['burstReplicas', normal.burstReplicas],
    ['scaleStrategy.partitionedScaling', normal.partitionedScaling],
    ['minReadySeconds', normal.minReadySeconds],
    ['revisionHistoryLimit', normal.revisionHistoryLimit],
    ['lifecycle', normal.lifecycle],
  ];
  return [
    ...moving.map(([name, value]) => ({ name, value, movesUnits: true })),
    ...others.map(([name, value]) => ({ name, value, movesUnits: false })),
  ];
}

const PATHS: Readonly<Partial<Record<GitField, string[]>>> = {
  boundSelector: [...ROLLING, 'selector'],
  maxSurge: [...ROLLING, 'maxSurge'],
  maxUnavailable: [...ROLLING, 'maxUnavailable'],
  partition: [...ROLLING, 'partition'],
  policy: [...ROLLING, 'rollingUpdateType'],
  type: [...STRATEGY, 'type'],
};

function policyText(manifest: KubeObject): string {
  const strategy = objectOf(objectOf(manifest['spec'])['updateStrategy']);
  if (strategy['type'] === 'OnDelete') return 'updateStrategy.type is OnDelete';
  const written = objectOf(strategy['rollingUpdate'])['rollingUpdateType'];
  return typeof written === 'string'
    ? `rollingUpdateType is ${written}`
    : 'rollingUpdateType is Standard, the default';
}

function podsOnNodes(
  target: KubeObject,
  revisions: readonly KubeObject[],
  hashes: readonly string[],
  _now: number,
  nodes: readonly string[],
): KubeObject[] {
  const view = daemonSetView({ target, pods: [], revisions }, normalizeDaemonSet(target), []);
  return hashes.map((hash, index) => {
    const [revision, node] = [revisionOf(view, hash), nodes[index]];
    if (revision === undefined || node === undefined)
      throw new Error(`no revision has the hash ${hash}, or there is no node for it`);
    return newPod(view, revision, node, idOn(view, node, new Set()));
  });
}
