import { expect, test } from 'vitest';
import { countsOf, podStatuses } from '../../../cli/status/pods.ts';
import { statusesOf } from '../../../cli/status/read.ts';
import { ago, NOW, pod, ready, statusObjects, target } from './objects.ts';

/** The revisions of pods with these labels, and how many there are of each. */
function shown(
  kind: string,
  status: object,
  labels: readonly string[],
): [revisions: string[], counts: string] {
  const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind, name: 'web', uid: 'web', controller: true };
  const objects = statusObjects({
    targets: [{ ...target('web'), kind, status: { observedGeneration: 2, ...status } }],
    pods: labels.map((label, n) =>
      pod(`web-${n}`, label, ready, { creationTimestamp: ago(10 + n), ownerReferences: [owner] }),
    ),
  });
  const [found] = statusesOf(objects);
  if (found === undefined) throw new Error('no status');
  const pods = podStatuses(found, objects, NOW);
  return [pods.map(({ is, revision }) => `${is} ${revision}`), countsOf(pods)];
}

const named = { updateRevision: 'web-bbb', currentRevision: 'web-aaa' };
// The status of a DaemonSet has the hash of the manifest's revision, and no other; so have the labels of its pods.
const hashed = { updateRevision: 'bbb' };

test.each<[kind: string, status: object, labels: string[], revisions: string[], counts: string]>([
  [
    'CloneSet',
    named,
    ['web-bbb', 'web-aaa', 'web-ccc'],
    ['updated bbb', 'old aaa', 'other ccc'],
    '1 updated, 1 old, 1 other',
  ],
  [
    'StatefulSet',
    named,
    ['web-bbb', 'web-aaa', 'web-ccc'],
    ['updated bbb', 'old aaa', 'other ccc'],
    '1 updated, 1 old, 1 other',
  ],
  ['DaemonSet', hashed, ['bbb', 'aaa', 'bbb'], ['updated bbb', 'old aaa', 'updated bbb'], '2 updated, 1 old'],
  // Nothing is known of a target that no runtime has seen.
  ['DaemonSet', {}, ['bbb', 'aaa'], ['other bbb', 'other aaa'], '2 other'],
])('the pods of a %s say on which revision they are: %o', (kind, status, labels, revisions, counts) => {
  expect(shown(kind, status, labels)).toEqual([revisions, counts]);
});
