import { expect, test } from 'vitest';
import { statusesOf } from '../../../cli/status/read.ts';
import { podStatuses } from '../../../cli/status/pods.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { ago, NOW, pod, ready, statusObjects, target } from './objects.ts';

/** The names in the order in which the status of a target of this kind lists its pods. */
function listed(kind: string, pods: readonly [name: string, age: number, status?: object][]): string[] {
  const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind, name: 'web', uid: 'web', controller: true };
  const objects = statusObjects({
    targets: [{ ...target('web'), kind }],
    pods: pods.map(([name, age, status = ready]): KubeObject =>
      pod(name, 'web-new', status, { creationTimestamp: ago(age), ownerReferences: [owner] }),
    ),
  });
  const [status] = statusesOf(objects);
  if (status === undefined) throw new Error('no status');
  return podStatuses(status, objects, NOW).map(({ name }) => name);
}

test('numbered pods are listed by ordinal, those that are not available first', () => {
  expect(
    listed('StatefulSet', [
      ['web-10', 50],
      ['web-2', 10],
      ['web-1', 30],
      ['web-9', 20, {}],
      ['web-0', 40],
      ['web-11', 60, {}],
    ]),
  ).toEqual(['web-9', 'web-11', 'web-0', 'web-1', 'web-2', 'web-10']);
});

test('others by age, the newest first', () => {
  expect(
    listed('CloneSet', [
      ['web-a', 30],
      ['web-bb', 10],
      ['web-c', 20],
    ]),
  ).toEqual(['web-bb', 'web-c', 'web-a']);
});
