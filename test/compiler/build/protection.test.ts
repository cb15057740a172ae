import { expect, test } from 'vitest';
import { deletionProtection } from '../../../schemas/generated/deletion-protection.ts';
import { kruise } from '../world/manifests.ts';

const LABEL = 'policy.kruise.io/delete-protection';
const object = (apiVersion: string, kind: string, name: string, value: string, more = ''): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n  labels:\n    ${LABEL}: ${value}\n${more}`;
const service = object('v1', 'Service', 'web', 'Always');
const job = object('batch/v1', 'Job', 'tidy', 'Cascading');
const queue = object('example.com/v1', 'Queue', 'orders', 'Always');
const cloneSet = `apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata:
  name: web
spec:
  replicas: 1
  updateStrategy: { type: InPlaceIfPossible }
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: 'web:1' }] }
`;

async function built(manifests: readonly string[], args: readonly string[] = []) {
  const files = { 'apps/a.yaml': manifests.join('---\n') };
  const { host, code } = await kruise(files, { args: ['build', 'apps', ...args] });
  return { out: host.out, err: host.err, code };
}

test('what has the label is protected by a policy and a binding, which are written once', async () => {
  const { out, err, code } = await built([service]);
  expect([out, code]).toEqual([`${service}---\n${deletionProtection}`, 0]);
  expect(err).toContain(
    'a ValidatingAdmissionPolicy and its binding protect 1 object from deletion, exact\n',
  );
  expect((await built([out])).out, 'what was built builds to itself').toBe(out);
});

test.each([
  ['no object has the label', ['apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n']],
  ['the value protects nothing there', [job]],
  ['an object needs a runtime, which comes with them', [service, cloneSet]],
])('none is written where %s', async (_title, manifests) => {
  const { out, err } = await built(manifests);
  expect([out, err.includes('ValidatingAdmissionPolicy')]).toEqual([manifests.join('---\n'), false]);
});

test('the build names what they leave out, and --strict makes it an error', async () => {
  const manifests = [object('v1', 'Namespace', 'shop', 'Cascading'), queue, service];
  const { err } = await built(manifests);
  expect(err).toContain('protect 1 object from deletion, lowered\n');
  expect(err).toContain(
    'Namespace shop is not protected; lost: delete-protection Cascading of Namespaces and CustomResourceDefinitions: nothing looks at what is in them, so that they can be deleted\n',
  );
  expect(err).toContain(
    'Queue default/orders is not protected; lost: delete-protection of other kinds: no policy is about them\n',
  );
  const strict = await built(manifests, ['--strict']);
  expect([strict.out, strict.code]).toEqual(['', 1]);
  expect(strict.err).toContain('error[KR2240]: Namespace shop as a ValidatingAdmissionPolicy loses');
  expect((await built([service], ['--strict'])).code).toBe(0);
});

test('with an output folder it is a file of its own', async () => {
  const { host } = await kruise({ 'apps/a.yaml': service }, { args: ['build', 'apps', '-o', 'built'] });
  expect(host.err).toContain('2 files in built');
});
