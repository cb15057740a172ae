import { expect } from 'vitest';
import { deployment, pod } from './manifests.ts';
import { suite } from './suite.ts';

const claim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: c }
spec: { storageClassName: none, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`;

const slice = `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: s }
addressType: IPv4
ports: [{ port: 80 }]
endpoints: [{ addresses: [1.2.3.4] }]
`;

const lease = `apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: { name: l }
spec: { holderIdentity: me }
`;

const waiting = pod('p').replace('nodeName: nowhere', 'schedulerName: nobody');

suite('own-manifests', (test) => {
  test('an object is replaced by its own manifest', async (k) => {
    for (const manifest of [waiting, claim, deployment('d')]) await k.run('create -f -', manifest);
    expect(await k.run('replace -f -', waiting)).toBe('pod/p replaced');
    expect(await k.run('replace -f -', claim)).toBe('persistentvolumeclaim/c replaced');
    expect(await k.run('replace -f -', deployment('d'))).toBe('deployment.apps/d replaced');
    expect((await k.stored('pods/p')).metadata.generation).toBe(1);
    expect((await k.stored('deployments/d', 'apps/v1')).metadata.generation).toBe(1);
  });

  test('an object that was applied is applied by the server from then on', async (k) => {
    for (const manifest of [waiting, claim]) {
      await k.run('apply -f -', manifest);
      expect(await k.run('apply --server-side -f -', manifest)).toMatch(/^\S+ serverside-applied$/);
      expect(
        await k.run('apply --server-side --force-conflicts --field-manager other -f -', manifest),
      ).toMatch(/^\S+ serverside-applied$/);
    }
  });

  test('an update of a Lease requires its resourceVersion', async (k) => {
    await k.run('create -f -', lease);
    await expect(
      k.server.rest('PUT', `/apis/coordination.k8s.io/v1/namespaces/${k.namespace}/leases/l`, {
        metadata: { name: 'l' },
      }),
    ).rejects.toThrow(
      'leases.coordination.k8s.io \\"l\\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
    expect(await k.run('replace -f -', lease)).toBe('lease.coordination.k8s.io/l replaced');
  });

  test('an annotation of a Deployment raises its generation', async (k) => {
    await k.run('create -f -', deployment('d'));
    await k.run('annotate deployment d a=b');
    expect((await k.stored('deployments/d', 'apps/v1')).metadata.generation).toBe(2);
  });

  test('an endpoint slice whose port has no name is described', async (k) => {
    await k.run('create -f -', slice);
    expect(await k.run('describe endpointslice s')).toMatch(/Name +Port +Protocol\n[\s\S]*<unset> +80 +TCP/);
  });

  test('a webhook configuration is stored and listed', async (k) => {
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const name = k.namespace;
    await k.server.rest('POST', path, {
      metadata: { name },
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { service: { namespace: 'n', name: 's' } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [
            {
              apiGroups: ['nobody.example.com'],
              apiVersions: ['v1'],
              resources: ['x'],
              operations: ['CREATE'],
            },
          ],
        },
      ],
    });
    try {
      expect(await k.run(`get validatingwebhookconfiguration ${name}`)).toMatch(
        /NAME +WEBHOOKS +AGE\n\S+ +1 +\S+$/,
      );
      expect(
        await k.run(`get validatingwebhookconfiguration ${name} -o jsonpath={.webhooks[0].timeoutSeconds}`),
      ).toBe('10');
    } finally {
      await k.server.rest('DELETE', `${path}/${name}`);
    }
  });
});
