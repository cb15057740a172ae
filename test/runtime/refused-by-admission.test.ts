import { expect, test } from 'vitest';
import { explainFailure } from '../../runtime/api/explain.ts';
import { problemOf } from '../../runtime/problem.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';

const connection = {
  server: 'https://cluster.example',
  namespace: 'shop',
  user: 'context prod',
  headers: () => Promise.resolve({}),
};

const forbidden = (message: string): ApiError => new ApiError({ code: 403, reason: 'Forbidden', message });

// The words of a kube-apiserver 1.35.
test.each([
  [
    'pods "a" is forbidden: error looking up service account new/default: serviceaccount "default" not found',
    'try again',
  ],
  [
    'pods "a" is forbidden: unable to create new content in namespace old because it is being terminated',
    'until the namespace is gone',
  ],
  ['pods "a" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1', 'quota'],
  [
    'pods "a" is forbidden: violates PodSecurity "restricted:latest": unrestricted capabilities',
    'Pod Security',
  ],
  ['admission webhook "pods.example.com" denied the request: no', 'as the webhook says'],
  [
    "pods \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no",
    'as the policy says',
  ],
])('a refusal of somebody who has the right says what would help: %s', (message, help) => {
  const explained = explainFailure(forbidden(message), connection);
  expect(explained.problem).toContain(message);
  expect(explained.help).toContain(help);
  expect(`${explained.problem} ${explained.help}`).not.toContain('does not allow');
  // No process ends for good by it.
  expect(problemOf(forbidden(message), connection)).toMatchObject({ help: explained.help, isFinal: false });
});

test.each([
  'pods is forbidden: User "eve" cannot create resource "pods" in API group "" in the namespace "shop"',
  'no',
])('a missing right stays one: %s', (message) => {
  expect(explainFailure(forbidden(message), connection).help).toContain('for this right');
  expect(problemOf(forbidden(message), connection)).toMatchObject({ isFinal: true });
});

test('however long a refusal is, its words are searched for in its beginning', () => {
  const long = `${"ValidatingAdmissionPolicy 'p' ".repeat(30_000)} denied request`;
  expect(explainFailure(forbidden(long), connection).help).toContain('for this right');
});
