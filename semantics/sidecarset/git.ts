import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GitField, GitManifest, GitSide, Setting } from '../kinds/git-side.ts';
import { revisionOf } from '../revision/revision.ts';
import { objectOf } from '../values/read.ts';
import { wellFormedSelector } from '../values/selector.ts';
import { timestamp } from '../values/timestamp.ts';
import { classifyContent } from './classify.ts';
import { contentOfSpec } from './content.ts';
import { injectedContainers } from './injected-containers.ts';
import { normalizeSidecarSet } from './normalize.ts';
import { withRecords } from './pod-annotations.ts';
import { contentOf, sidecarSetView } from './view.ts';

/** How a SidecarSet is read from git. Its pods are those of other workloads. */
export const sidecarSetGit: GitSide = {
  read,
  fieldPath,
  policyText: () => 'pods of other owners are never deleted',
  lint: () => [],
  units,
  native: undefined,
};

const STRATEGY = ['spec', 'updateStrategy'];
const IN_STRATEGY: readonly GitField[] = ['maxUnavailable', 'partition', 'type'];

function fieldPath(_: KubeObject, field: GitField): string[] {
  if (IN_STRATEGY.includes(field)) return [...STRATEGY, field];
  if (field === 'policy') return [...STRATEGY, 'type'];
  if (field === 'boundSelector') return [...STRATEGY, 'selector'];
  // The content of a set is where that of a pod is in a template.
  return field === 'template' ? [] : ['spec', field];
}

function read(manifest: KubeObject): GitManifest {
  const set = normalizeSidecarSet(manifest);
  return {
    units: {
      of: 'selected',
      classify: classifyContent,
      updates: {
        onDelete: !set.isRolling,
        policy: set.isRolling ? 'InPlaceOnly' : 'InPlaceIfPossible',
        partition: set.partition ?? 0,
        maxUnavailable: set.maxUnavailable,
        maxSurge: undefined,
        priorities: set.priorities,
        scatter: set.scatter,
      },
      shown: undefined,
      within: set.isRolling ? wellFormedSelector(set.updateSelector) : undefined,
      shownWithin: undefined,
      selection: {
        selector: wellFormedSelector(set.selector) ?? {},
        ...(set.namespaceSelector !== undefined && {
          namespaceSelector: wellFormedSelector(set.namespaceSelector) ?? {},
        }),
      },
    },
    template: contentOfSpec(objectOf(manifest['spec'])),
    paused: set.isPaused,
    settings: () => settingsOf(manifest),
  };
}

function settingsOf(manifest: KubeObject): Setting[] {
  const set = normalizeSidecarSet(manifest);
  return [
    { name: 'selector', value: set.selector, movesUnits: false },
    { name: 'namespaceSelector', value: set.namespaceSelector, movesUnits: false },
    { name: 'updateStrategy.type', value: set.isRolling ? 'RollingUpdate' : 'NotUpdate', movesUnits: true },
    { name: 'updateStrategy.paused', value: set.isPaused, movesUnits: true },
    { name: 'updateStrategy.maxUnavailable', value: set.maxUnavailable, movesUnits: false },
    { name: 'updateStrategy.priorityStrategy', value: set.priorities, movesUnits: false },
    { name: 'updateStrategy.scatterStrategy', value: set.scatter, movesUnits: false },
    { name: 'injectionStrategy.paused', value: set.injectionPaused, movesUnits: false },
    { name: 'injectionStrategy.revision', value: set.pinned, movesUnits: false },
    { name: 'revisionHistoryLimit', value: set.historyLimit, movesUnits: false },
    { name: 'customVersion', value: set.customVersion, movesUnits: false },
  ];
}

/** Pods that were injected on these revisions, ready, with nothing but the containers of the set. */
function units(
  target: KubeObject,
  revisions: readonly KubeObject[],
  hashes: readonly string[],
  now: number,
): KubeObject[] {
  const view = sidecarSetView({ target, pods: [], revisions, takenNames: new Set() });
  return hashes.map((hash, index): KubeObject => {
    const revision = revisionOf(view, hash);
    if (revision === undefined) throw new Error(`no revision has the hash ${hash}`);
    const name = `pod-${index}`;
    const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' } };
    const to = contentOf(view, revision);
    const recorded = withRecords({}, [to], timestamp(now));
    if ('refused' in recorded) throw new Error(recorded.refused);
    const containers = to.containers.flatMap((each) => injectedContainers(each, pod, undefined).containers);
    return {
      ...pod,
      metadata: { ...pod.metadata, annotations: recorded.annotations },
      spec: { containers },
    };
  });
}
