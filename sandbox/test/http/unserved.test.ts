import { describe, expect, it } from 'vitest';
import { resources } from '../../../schemas/wire/resources.ts';
import { pod } from '../world.ts';
import { front, json } from './front.ts';

const message = (answer: { json: unknown }): unknown => (answer.json as { message?: unknown }).message;

describe('a proxy', () => {
  it.each(['services', 'nodes'])('of a missing object among the %s returns 404', async (plural) => {
    const { ask } = await front({});
    const path = plural === 'nodes' ? '/api/v1/nodes' : '/api/v1/namespaces/default/services';
    const answer = await ask(`${path}/nosuch/proxy`);
    expect([answer.code, message(answer)]).toEqual([404, `${plural} "nosuch" not found`]);
  });

  it('of one that is there is not served', async () => {
    const { ask } = await front({ nodes: 1 });
    const answer = await ask('/api/v1/nodes/node-1/proxy');
    expect([answer.code, message(answer)]).toEqual([
      501,
      'pods run no processes here: proxy of a node is not served',
    ]);
  });
});

describe('a Binding', () => {
  const at = '/api/v1/namespaces/default/pods/a/binding';
  const binding = (metadata?: object) => ({
    apiVersion: 'v1',
    kind: 'Binding',
    ...(metadata && { metadata }),
    target: { kind: 'Node', name: 'node-1' },
  });

  it.each([[undefined], [{}], [{ name: 'b' }]])(
    'that names another pod than its path: %j',
    async (metadata) => {
      const { ask } = await front({});
      const answer = await ask(at, { method: 'POST', headers: json, body: binding(metadata) });
      expect([answer.code, message(answer)]).toEqual([
        400,
        'name in URL does not match name in Binding object',
      ]);
    },
  );

  it('of another namespace is refused, of none is in that of its path', async () => {
    const { ask, alice } = await front({ nodes: 0 });
    await alice.create(resources.Pod, pod('a'));
    const elsewhere = binding({ name: 'a', namespace: 'other' });
    const refused = await ask(at, { method: 'POST', headers: json, body: elsewhere });
    expect([refused.code, message(refused)]).toEqual([
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ]);
    const answer = await ask(at, { method: 'POST', headers: json, body: binding({ name: 'a' }) });
    expect(answer.code).toBe(201);
    const bound = await alice.get(resources.Pod, { namespace: 'default', name: 'a' });
    expect((bound['spec'] as { nodeName?: string }).nodeName).toBe('node-1');
  });
});

describe('a body of a version that is no longer served', () => {
  it.each([
    [
      'apps/v1beta1',
      'Deployment',
      'the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)',
    ],
    [
      'extensions/v1beta1',
      'Deployment',
      'the API version in the data (extensions/v1beta1) does not match the expected API version (apps/v1)',
    ],
    [
      'nosuch/v1',
      'Deployment',
      'Deployment in version "v1" cannot be handled as a Deployment: no kind "Deployment" is registered for version "nosuch/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      'apps/v2',
      'StatefulSet',
      'StatefulSet in version "v2" cannot be handled as a Deployment: no kind "StatefulSet" is registered for version "apps/v2" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ])('%s %s', async (apiVersion, kind, expected) => {
    const { ask } = await front({});
    const body = { apiVersion, kind, metadata: { name: 'a' } };
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const answer = await ask(path, { method: 'POST', headers: json, body });
    expect([answer.code, message(answer)]).toEqual([400, expected]);
  });
});
