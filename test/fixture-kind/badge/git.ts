import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { GitManifest, GitSide } from '../../../semantics/kinds/git-side.ts';
import { revisionOf } from '../../../semantics/revision/revision.ts';
import { classify } from '../../../semantics/template/classify.ts';
import { specOf, WORN_ANNOTATION, wornOf } from './spec.ts';
import { badgeView } from './view.ts';

/** How a badge is read from git: its pods are those of other workloads. */
export const badgeGit: GitSide = {
  read,
  fieldPath: (_, field) => (field === 'template' ? [] : ['spec', field]),
  policyText: () => 'pods of others are never deleted',
  lint: () => [],
  native: undefined,
  units(target, revisions, hashes, now) {
    const view = badgeView({ target, pods: [], revisions, takenNames: new Set(), now });
    return hashes.map((hash, index): KubeObject => {
      const revision = revisionOf(view, hash);
      if (revision === undefined) throw new Error(`no revision has the hash ${hash}`);
      return {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `pod-${index}`, namespace: 'default', annotations: { [WORN_ANNOTATION]: hash } },
        spec: { containers: wornOf(revision.template) },
      };
    });
  },
};

function read(manifest: KubeObject): GitManifest {
  const { selector, template, maxUnavailable, partition, paused } = specOf(manifest);
  return {
    units: {
      of: 'selected',
      classify: (from, to) => classify(from, to, { policy: 'InPlaceIfPossible' }),
      updates: {
        onDelete: false,
        policy: 'InPlaceOnly',
        partition,
        maxUnavailable,
        maxSurge: undefined,
        priorities: undefined,
        scatter: [],
      },
      shown: undefined,
      within: undefined,
      shownWithin: undefined,
      selection: { selector },
    },
    template,
    paused,
    settings: () => [
      { name: 'selector', value: selector, movesUnits: false },
      { name: 'paused', value: paused, movesUnits: true },
      { name: 'maxUnavailable', value: maxUnavailable, movesUnits: false },
    ],
  };
}
