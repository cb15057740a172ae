import { describe, expect, test } from 'vitest';
import { front, json } from './front.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'c' }] } };

describe('bodies of updates', () => {
  test.each<[string, string, string | undefined, object]>([
    ['a PUT', 'PUT', undefined, { data: { a: 'c' } }],
    ['a merge patch of no metadata', 'PATCH', 'merge-patch', { metadata: null }],
    [
      'a JSON patch of the name',
      'PATCH',
      'json-patch',
      [{ op: 'replace', path: '/metadata/name', value: '' }],
    ],
    ['a strategic patch that deletes all', 'PATCH', 'strategic-merge-patch', { $patch: 'delete' }],
  ])('%s that leaves no name is refused', async (_title, method, patch, body) => {
    const { ask } = await front({ nodes: 0 });
    await ask(maps, { method: 'POST', headers: json, body: { metadata: { name: 'm' }, data: { a: 'b' } } });
    const headers = patch === undefined ? json : { 'content-type': `application/${patch}+json` };
    const { code, json: answer } = await ask(`${maps}/m`, { method, headers, body: JSON.stringify(body) });
    expect(code).toBe(400);
    expect(answer).toMatchObject({
      reason: 'BadRequest',
      message: 'the name of the object (m based on URL) was undeterminable: name must be provided',
    });
    expect((await ask(`${maps}/m`)).json).toMatchObject({ data: { a: 'b' } });
  });

  test('the kind of a Scale defaults to that of the URL', async () => {
    const { ask } = await front({ nodes: 0 });
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    await ask(deployments, { method: 'POST', headers: json, body: { metadata: { name: 'd' }, spec } });
    const put = (body: object) => ask(`${deployments}/d/scale`, { method: 'PUT', headers: json, body });
    const scaled = await put({ metadata: { name: 'd' }, spec: { replicas: 2 } });
    expect([scaled.code, scaled.json]).toMatchObject([200, { kind: 'Scale', spec: { replicas: 2 } }]);
    expect((await put({ metadata: { name: 'd' }, spec: { replicas: -1 } })).code).toBe(422);
    expect((await put({ spec: { replicas: 2 } })).code).toBe(400);
    expect((await ask(`${deployments}/d`)).json).toMatchObject({ spec: { replicas: 2 } });
  });

  test.each([
    [{ deprecated: true }, 'test.example/v2 Old is deprecated'],
    [{ deprecated: true, deprecationWarning: 'use v3' }, 'use v3'],
    [{}, undefined],
  ])('a version that is %j warns of it: %s', async (marks, warning) => {
    const { ask } = await front({ nodes: 0 });
    const schema = { openAPIV3Schema: { type: 'object' } };
    const definition = {
      metadata: { name: 'olds.test.example' },
      spec: {
        group: 'test.example',
        scope: 'Cluster',
        names: { plural: 'olds', kind: 'Old' },
        versions: [{ name: 'v2', served: true, storage: true, schema, ...marks }],
      },
    };
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await ask(crds, { method: 'POST', headers: json, body: definition })).code).toBe(201);
    const header = warning === undefined ? undefined : `299 - "${warning}"`;
    const path = '/apis/test.example/v2/olds';
    const body = { apiVersion: 'test.example/v2', kind: 'Old', metadata: { name: 'o' } };
    expect((await ask(path, { method: 'POST', headers: json, body })).headers['warning']).toBe(header);
    for (const at of [path, `${path}/o`]) expect((await ask(at)).headers['warning']).toBe(header);
  });

  test.each(['csidrivers', 'csinodes', 'storageclasses', 'volumeattachments'])(
    'DELETE of %s shows what is gone',
    async (plural) => {
      const { ask } = await front({ nodes: 0 });
      const spec = {
        attacher: 'a',
        nodeName: 'n',
        source: { persistentVolumeName: 'x' },
        drivers: [{ name: 'd', nodeID: 'n' }],
      };
      const path = `/apis/storage.k8s.io/v1/${plural}`;
      const body = { metadata: { name: 'x' }, spec, provisioner: 'p' };
      expect((await ask(path, { method: 'POST', headers: json, body })).code).toBe(201);
      const gone = await ask(`${path}/x`, { method: 'DELETE' });
      expect([gone.code, gone.json]).toMatchObject([200, { metadata: { name: 'x' } }]);
    },
  );
});
