import { expect, test } from 'vitest';
import { countsOf, podStatuses } from '../../../cli/status/pods.ts';
import { statusesOf } from '../../../cli/status/read.ts';
import { statusTree } from '../../../cli/status/tree.ts';
import { plain } from '../../../compiler/text/paint.ts';
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

test('pods that are not updated show the images that they run in place of those of the manifest', () => {
  const container = (name: string, image: string): object => ({ name, image });
  const template = (...containers: object[]): object => ({ spec: { containers } });
  const runs = (name: string, label: string, ...containers: object[]): object => ({
    ...pod(name, label, ready),
    spec: { nodeName: 'node-1', containers },
  });
  const SPELLED = `proxy:1@sha256:${'a'.repeat(64)}`;
  const respelled = (each: object): object => {
    const { metadata } = each as { metadata: object };
    const proxy = { image: 'proxy:1', spelled: SPELLED, by: 'a', containerID: 'a', restarts: [0] };
    const annotations = { 'plan.kruise.io/recreated-containers': JSON.stringify({ proxy }) };
    return { ...each, metadata: { ...metadata, annotations } };
  };
  const objects = statusObjects({
    targets: [
      {
        ...target('web', { updateRevision: 'web-bbb', currentRevision: 'web-aaa' }),
        spec: { replicas: 4, template: template(container('web', 'web:3'), container('proxy', 'proxy:1')) },
      },
    ],
    pods: [
      // What a webhook has added is no part of the manifest, nor is another name of the same image.
      runs('web-new', 'web-bbb', container('web', 'mirror/web:3'), container('mesh', 'mesh:1')),
      runs('web-old', 'web-aaa', container('web', 'web:2'), container('proxy', 'proxy:1')),
      runs('web-other', 'web-ccc', container('web', 'web:1'), container('proxy', 'proxy:0')),
      runs('web-same', 'web-ddd', container('web', 'web:3'), container('mesh', 'mesh:1')),
      // Another spelling of the same image, which has restarted a container, is no other image.
      respelled(runs('web-again', 'web-aaa', container('web', 'web:2'), container('proxy', SPELLED))),
    ] as never,
  });
  const [found] = statusesOf(objects);
  if (found === undefined) throw new Error('no status');
  const images = podStatuses(found, objects, NOW).map((each) => [each.name, each.images]);
  expect(Object.fromEntries(images)).toEqual({
    'web-new': undefined,
    'web-old': ['web:2'],
    'web-other': ['web:1', 'proxy:0'],
    'web-same': undefined,
    'web-again': ['web:2'],
  });
  const text = statusTree(found, objects, { paint: plain, now: NOW, columns: undefined }).join('\n');
  expect(text).toContain('web-old    old      aaa  available, runs web:2, 10m');
  expect(text).toContain('web-other  other    ccc  available, runs web:1 and proxy:0, 10m');
});
