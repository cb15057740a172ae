import { expect } from 'vitest';
import { pod } from './manifests.ts';
import { suite } from './suite.ts';

const merge = 'application/strategic-merge-patch+json';

suite('subresources', (test) => {
  test('an ephemeral container is added to a pod, and cannot be changed', async (k) => {
    await k.run('create -f -', pod('p').replace('  nodeName: nowhere\n', ''));
    const debug = 'debug p --image=busybox -c look --target=main --attach=false --profile=general';
    expect((await k.raw(debug)).code).toBe(0);
    const { spec, metadata } = await k.stored('pods/p');
    expect(spec['ephemeralContainers']).toMatchInlineSnapshot(`
      [
        {
          image: busybox,
          imagePullPolicy: Always,
          name: look,
          resources: {},
          securityContext: {
            capabilities: {
              add: [
                SYS_PTRACE,
              ],
            },
          },
          targetContainerName: main,
          terminationMessagePath: /dev/termination-log,
          terminationMessagePolicy: File,
        },
      ]
    `);
    expect(metadata.generation).toBe(2);
    const managers = metadata.managedFields?.map(({ manager, subresource }) => [manager, subresource]);
    expect(managers).toContainEqual(['kubectl', 'ephemeralcontainers']);
    const path = `/api/v1/namespaces/${k.namespace}/pods/p`;
    const refused = async (containers: object[], type = merge) => {
      try {
        await k.server.rest(
          'PATCH',
          `${path}/ephemeralcontainers`,
          { spec: { ephemeralContainers: containers } },
          type,
        );
      } catch (error) {
        return String(error)
          .replace(/.*?"message":"(.*?)","reason".*/s, '$1')
          .replace(/@@.*/s, '');
      }
      return 'it was let in';
    };
    expect(
      [
        await refused([{ name: 'main', image: 'a' }]),
        await refused([{ name: 'x' }]),
        await refused([{ name: 'x', image: 'a', targetContainerName: 'no' }]),
        await refused([
          { name: 'x', image: 'a', ports: [{ containerPort: 1 }], resources: { limits: { cpu: '1' } } },
        ]),
        await refused([{ name: 'x', image: 'a', volumeMounts: [{ name: 'no', mountPath: '/x' }] }]),
        await refused([{ name: 'look', image: 'other' }]),
        await refused([], 'application/merge-patch+json'),
      ].join('\n'),
    ).toMatchInlineSnapshot(`
      Pod \\"p\\" is invalid: spec.ephemeralContainers[0].name: Duplicate value: \\"main\\"
      Pod \\"p\\" is invalid: spec.ephemeralContainers[0].image: Required value
      Pod \\"p\\" is invalid: spec.ephemeralContainers[0].targetContainerName: Not found: \\"no\\"
      Pod \\"p\\" is invalid: [spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container, spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container]
      Pod \\"p\\" is invalid: spec.ephemeralContainers[0].volumeMounts[0].name: Not found: \\"no\\"
      Pod \\"p\\" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers \\"look\\" may not be changed\\n
      Pod \\"p\\" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers \\"look\\" may not be removed\\n
    `);
    const both = { metadata: { labels: { a: 'b' } }, spec: { activeDeadlineSeconds: 5 } };
    await k.server.rest('PATCH', `${path}/ephemeralcontainers`, both, merge);
    const after = await k.stored('pods/p');
    expect([after.metadata.labels, after.spec['activeDeadlineSeconds']]).toEqual([{ app: 'web' }, undefined]);
    const whole = pod('q').replace(
      '  containers:',
      '  ephemeralContainers: [{ name: e, image: a }]\n  containers:',
    );
    expect(await k.run('create -f -', whole)).toMatchInlineSnapshot(`
      [stderr]
      The Pod "q" is invalid: spec.ephemeralContainers: Forbidden: cannot be set on create
      [exit 1]
    `);
  });

  test("a namespace's finalizers are written through finalize alone", async (k) => {
    const name = `${k.namespace}-x`;
    const path = `/api/v1/namespaces/${name}`;
    interface Found {
      metadata: object;
      spec: { finalizers?: string[] };
    }
    const read = async () => (await k.server.rest('GET', path)) as Found;
    const finalize = async (finalizers: string[], metadata: object = {}) => {
      const found = await read();
      const body = { ...found, metadata: { ...found.metadata, ...metadata }, spec: { finalizers } };
      return (await k.server.rest('PUT', `${path}/finalize`, body)) as Found;
    };
    const made = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers: ['a.b/c'] } };
    await k.server.rest('POST', '/api/v1/namespaces', made);
    expect((await read()).spec).toEqual({ finalizers: ['a.b/c', 'kubernetes'] });
    await k.server.rest('PATCH', path, { spec: { finalizers: ['x.y/z'] } }, 'application/merge-patch+json');
    expect((await read()).spec).toEqual({ finalizers: ['a.b/c', 'kubernetes'] });
    expect((await finalize(['kubernetes', 'x.y/z'])).spec).toEqual({ finalizers: ['kubernetes', 'x.y/z'] });
    await expect(finalize(['bad'])).rejects.toThrow(
      'spec.finalizers[0]: Invalid value: \\"bad\\": name is neither a standard finalizer name nor is it fully qualified',
    );
    await expect(finalize([], { resourceVersion: '1' })).rejects.toThrow('the object has been modified');
    await expect(finalize([], { name: 'other' })).rejects.toThrow('does not match the name on the URL');
    await k.run(`delete namespace ${name} --wait=false`);
    await new Promise((resolve) => void setTimeout(resolve, 300));
    expect((await read()).spec.finalizers).toContain('x.y/z');
    await finalize([]);
    await expect(read()).rejects.toThrow('404');
  });
});
