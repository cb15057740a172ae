import { expect } from 'vitest';
import { cloneSet, configMap, pod } from './manifests.ts';
import { suite } from './suite.ts';

suite('wait', (test) => {
  test('for a condition of a pod that is true already, or later', async (k) => {
    await k.run('create -f -', pod('p'));
    const waiting = await k.watching('wait pod/p --for=condition=Ready --timeout=20s');
    await k.setStatus('pods/p', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
    expect(k.text(await waiting.done)).toMatchInlineSnapshot(`pod/p condition met`);
    expect(await k.run('wait pod/p --for=condition=Ready')).toMatchInlineSnapshot(`pod/p condition met`);
    expect(await k.run('wait pod -l app=web --for=condition=ready')).toMatchInlineSnapshot(
      `pod/p condition met`,
    );
    expect(await k.run('wait pod/p --for=condition=Ready=False --timeout=1s')).toMatchInlineSnapshot(`
      [stderr]
      error: timed out waiting for the condition on pods/p
      [exit 1]
    `);
    expect(await k.run('wait pod/nope --for=condition=Ready --timeout=1s')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): pods "nope" not found
      [exit 1]
    `);
  });

  test('for a value of a custom resource', async (k) => {
    await k.run('create -f -', cloneSet('web'));
    const waiting = await k.watching(
      `wait clone/web --for=jsonpath='{.spec.minReadySeconds}'=4 --timeout=20s`,
    );
    await k.run(`patch clone web --type=merge -p '{"spec":{"minReadySeconds":4}}'`);
    expect(k.text(await waiting.done)).toMatchInlineSnapshot(`cloneset.apps.kruise.io/web condition met`);
    expect(await k.run(`wait clone/web --for=jsonpath='{.spec.nosuch}'=4 --timeout=1s`))
      .toMatchInlineSnapshot(`
        [stderr]
        error: timed out waiting for the condition on clonesets/web
        [exit 1]
      `);
  });

  test('for the deletion, and for the creation', async (k) => {
    await k.run('create -f -', configMap('a'));
    const end = await k.watching('wait cm/a --for=delete --timeout=20s');
    const beginning = await k.watching('wait cm/b --for=create --timeout=20s');
    await k.run('delete cm a --wait=false');
    await k.run('create -f -', configMap('b'));
    expect(k.text(await end.done)).toMatchInlineSnapshot(`configmap/a condition met`);
    expect(k.text(await beginning.done)).toMatchInlineSnapshot(`configmap/b condition met`);
    expect(await k.run('wait cm/b --for=delete --timeout=1s')).toMatchInlineSnapshot(`
      [stderr]
      error: timed out waiting for the condition on configmaps/b
      [exit 1]
    `);
    expect(await k.run('wait cm/a --for=delete --timeout=1s')).toMatchInlineSnapshot(``);
  });
});
