import { expect } from 'vitest';
import { cloneSet, configMap, documents, pod } from './manifests.ts';
import { suite, type Kubectl } from './suite.ts';

/** Waits until no object of the name exists; throws if it still does. */
async function gone(k: Kubectl, path: string): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      await k.stored(path);
    } catch {
      return true;
    }
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  return false;
}

/** An object that another owns. */
const owned = (name: string, uid: string, extra = '') =>
  configMap(name).replace(
    'metadata:',
    `metadata:\n  ownerReferences:\n    - { apiVersion: v1, kind: ConfigMap, name: owner, uid: ${uid}${extra} }`,
  );

suite('delete', (test) => {
  test('by name, file, selector, all; missing objects', async (k) => {
    const all = ['a', 'b', 'c', 'd'].map((name) =>
      configMap(name, 'x: z', `app: ${name < 'c' ? 'web' : 'api'}`),
    );
    await k.run('create -f -', documents(...all));
    expect(await k.run('delete cm a')).toMatchInlineSnapshot(`configmap "a" deleted`);
    expect(await k.run('delete cm a')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): configmaps "a" not found
      [exit 1]
    `);
    expect(await k.run('delete cm a --ignore-not-found')).toMatchInlineSnapshot(``);
    expect(await k.run('delete -f -', configMap('b'))).toMatchInlineSnapshot(`configmap "b" deleted`);
    expect(await k.run('delete cm c --dry-run=server')).toMatchInlineSnapshot(
      `configmap "c" deleted (server dry run)`,
    );
    expect(await k.run('delete cm c --dry-run=client')).toMatchInlineSnapshot(
      `configmap "c" deleted (dry run)`,
    );
    expect(await k.run('delete cm -l app=api -o name')).toMatchInlineSnapshot(`
      configmap/c
      configmap/d
    `);
    expect(await k.run('delete cm -l app=api')).toMatchInlineSnapshot(`No resources found`);
    await k.run('create -f -', cloneSet('x'));
    expect(await k.run('delete clone --all')).toMatchInlineSnapshot(`cloneset.apps.kruise.io "x" deleted`);
    expect(await k.run('delete cm')).toMatchInlineSnapshot(`
      [stderr]
      error: resource(s) were provided, but no name was specified
      [exit 1]
    `);
    expect(await k.run('delete cm,secret nope')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): configmaps "nope" not found
      Error from server (NotFound): secrets "nope" not found
      [exit 1]
    `);
  });

  test('finalizers delay a deletion, and kubectl waits for it', async (k) => {
    const held = configMap('a').replace('metadata:', 'metadata:\n  finalizers: [example.com/hold]');
    await k.run('create -f -', held);
    expect(await k.run('delete cm a --wait=false')).toMatchInlineSnapshot(`configmap "a" deleted`);
    expect(await k.run('delete cm a --timeout=1s')).toMatchInlineSnapshot(`
      configmap "a" deleted
      [stderr]
      error: timed out waiting for the condition on configmaps/a
      [exit 1]
    `);
    expect((await k.stored('configmaps/a')).metadata.deletionTimestamp).toMatch(/Z$/);
    expect(
      await k.run(
        `patch cm a --type=merge -p '{"metadata":{"finalizers":["example.com/hold","example.com/more"]}}'`,
      ),
    ).toMatchInlineSnapshot(`
      [stderr]
      The ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}
      [exit 1]
    `);
    const waiting = await k.watching('delete cm a');
    await k.run(`patch cm a --type=merge -p '{"metadata":{"finalizers":null}}'`);
    expect(k.text(await waiting.done)).toMatchInlineSnapshot(`configmap "a" deleted`);
    expect(await gone(k, 'configmaps/a')).toBe(true);
  });

  test('cascades: background, foreground, orphan', async (k) => {
    const owner = async () => {
      await k.run('create -f -', configMap('owner'));
      return (await k.stored('configmaps/owner')).metadata.uid;
    };
    await k.run('create -f -', owned('background', await owner()));
    expect(await k.run('delete cm owner')).toMatchInlineSnapshot(`configmap "owner" deleted`);
    expect(await gone(k, 'configmaps/background')).toBe(true);

    await k.run('create -f -', owned('foreground', await owner(), ', blockOwnerDeletion: true'));
    expect(await k.run('delete cm owner --cascade=foreground')).toMatchInlineSnapshot(
      `configmap "owner" deleted`,
    );
    expect(await gone(k, 'configmaps/foreground')).toBe(true);

    await k.run('create -f -', owned('orphan', await owner()));
    expect(await k.run('delete cm owner --cascade=orphan')).toMatchInlineSnapshot(
      `configmap "owner" deleted`,
    );
    expect(await gone(k, 'configmaps/owner')).toBe(true);
    expect((await k.stored('configmaps/orphan')).metadata).not.toHaveProperty('ownerReferences');
    expect(await k.run('delete cm orphan --cascade=sideways')).toMatchInlineSnapshot(`
      [stderr]
      error: invalid cascade value (sideways). Must be "background", "foreground", or "orphan"
      [exit 1]
    `);
  });

  test('pods: grace periods, by force', async (k) => {
    const slow = pod('slow').replace('terminationGracePeriodSeconds: 0', 'terminationGracePeriodSeconds: 60');
    await k.run('create -f -', documents(pod('quick'), slow));
    expect(await k.run('delete pod quick')).toMatchInlineSnapshot(`pod "quick" deleted`);
    expect(await k.run('delete pod slow --wait=false')).toMatchInlineSnapshot(`pod "slow" deleted`);
    const { metadata } = await k.stored('pods/slow');
    expect(metadata).toMatchObject({ deletionGracePeriodSeconds: 60 });
    expect(await k.run('get pod slow')).toMatchInlineSnapshot(`
      NAME   READY   STATUS   RESTARTS   AGE
      slow   0/1   Terminating   0   AGE
    `);
    await k.run('delete pod slow --wait=false --grace-period=20');
    expect((await k.stored('pods/slow')).metadata).toMatchObject({ deletionGracePeriodSeconds: 20 });
    expect(await k.run('delete pod slow --grace-period=0 --force')).toMatchInlineSnapshot(`
      pod "slow" force deleted
      [stderr]
      Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.
    `);
    expect(await gone(k, 'pods/slow')).toBe(true);
    await k.run('create -f -', slow);
    expect(await k.run('delete pod slow --now --wait=false')).toMatchInlineSnapshot(`pod "slow" deleted`);
    expect((await k.stored('pods/slow')).metadata).toMatchObject({ deletionGracePeriodSeconds: 1 });
  });

  test('a terminating namespace accepts no new objects, and its objects are deleted', async (k) => {
    const held = configMap('a').replace('metadata:', 'metadata:\n  finalizers: [example.com/hold]');
    await k.run('create -f -', documents(held, configMap('b')));
    expect(await k.run(`delete ns ${k.namespace} --wait=false`)).toMatchInlineSnapshot(
      `namespace "NAMESPACE" deleted`,
    );
    expect(await k.run('create -f -', configMap('c'))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": configmaps "c" is forbidden: unable to create new content in namespace NAMESPACE because it is being terminated
      [exit 1]
    `);
    expect(await k.run('create -f -', cloneSet('c'))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Forbidden): error when creating "STDIN": clonesets.apps.kruise.io "c" is forbidden: unable to create new content in namespace NAMESPACE because it is being terminated
      [exit 1]
    `);
    expect(await gone(k, 'configmaps/b')).toBe(true);
    expect(await k.run(`get ns ${k.namespace}`)).toMatchInlineSnapshot(`
      NAME   STATUS   AGE
      NAMESPACE   Terminating   AGE
    `);
    const waiting = await k.watching(`wait --for=delete ns/${k.namespace} --timeout=30s`);
    await k.run(`patch cm a --type=merge -p '{"metadata":{"finalizers":null}}'`);
    expect(k.text(await waiting.done)).toMatchInlineSnapshot(`namespace/NAMESPACE condition met`);
    expect(await k.run('get cm')).toMatchInlineSnapshot(`
      [stderr]
      No resources found in NAMESPACE namespace.
    `);
    expect(await k.run('create -f -', configMap('c'))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): error when creating "STDIN": namespaces "NAMESPACE" not found
      [exit 1]
    `);
  });
});
