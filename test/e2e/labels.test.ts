import { expect } from 'vitest';
import { configMap } from './manifests.ts';
import { suite } from './suite.ts';

suite('labels', (test) => {
  test('label adds, refuses to overwrite, overwrites, removes and lists', async (k) => {
    await k.run('create -f -', configMap('a'));
    expect(await k.run('label cm a tier=web')).toMatchInlineSnapshot(`configmap/a labeled`);
    expect(await k.run('label cm a tier=api')).toMatchInlineSnapshot(`
      [stderr]
      error: 'tier' already has a value (web), and --overwrite is false
      [exit 1]
    `);
    expect(await k.run('label cm a tier=api --overwrite')).toMatchInlineSnapshot(`configmap/a labeled`);
    expect((await k.run('label cm a --list')).split('\n').sort().join('\n')).toMatchInlineSnapshot(`
      app=web
      tier=api
    `);
    expect((await k.stored('configmaps/a')).metadata.labels).toEqual({ app: 'web', tier: 'api' });
    expect(await k.run('label cm a tier-')).toMatchInlineSnapshot(`configmap/a unlabeled`);
    expect(await k.run('label cm a tier-')).toMatchInlineSnapshot(`
      label "tier" not found.
      configmap/a not labeled
    `);
    expect(await k.run("label cm a 'tier=not valid!'")).toMatchInlineSnapshot(`
      [stderr]
      error: invalid label value: "tier=not valid!": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',   or 'my_value',   or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')
      [exit 1]
    `);
    expect((await k.stored('configmaps/a')).metadata.labels).toEqual({ app: 'web' });
  });

  test('label of several, by selector, with a resourceVersion, in dry runs', async (k) => {
    await k.run('create -f -', `${configMap('a')}---\n${configMap('b')}`);
    expect(await k.run('label cm -l app=web tier=web')).toMatchInlineSnapshot(`
      configmap/a labeled
      configmap/b labeled
    `);
    expect(await k.run('label cm a x=y --resource-version=1')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (Conflict): Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again
      [exit 1]
    `);
    expect(await k.run('label cm a x=y --dry-run=server')).toMatchInlineSnapshot(
      `configmap/a labeled (server dry run)`,
    );
    expect(await k.run('label cm a x=y --dry-run=client')).toMatchInlineSnapshot(
      `configmap/a labeled (dry run)`,
    );
    expect((await k.stored('configmaps/a')).metadata.labels).toEqual({ app: 'web', tier: 'web' });
    expect(await k.run('label cm nope x=y')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): configmaps "nope" not found
      [exit 1]
    `);
    expect(await k.run('label cm a x=y -o yaml')).toMatchInlineSnapshot(`
      apiVersion: v1
      data:
        colour: blue
      kind: ConfigMap
      metadata:
        creationTimestamp: "TIME"
        labels:
          app: web
          tier: web
          x: "y"
        name: a
        namespace: NAMESPACE
        resourceVersion: "RV"
        uid: UID
    `);
  });

  test('annotate adds, overwrites, removes and lists', async (k) => {
    await k.run('create -f -', configMap('a'));
    expect(await k.run("annotate cm a 'note=two words' example.com/x=1")).toMatchInlineSnapshot(
      `configmap/a annotated`,
    );
    expect(await k.run('annotate cm a note=three')).toMatchInlineSnapshot(`
      [stderr]
      error: --overwrite is false but found the following declared annotation(s): 'note' already has a value (two words)
      [exit 1]
    `);
    expect(await k.run('annotate cm a note=three --overwrite')).toMatchInlineSnapshot(
      `configmap/a annotated`,
    );
    expect((await k.run('annotate cm a --list')).split('\n').sort().join('\n')).toMatchInlineSnapshot(`
      example.com/x=1
      note=three
    `);
    expect(await k.run('annotate cm a note-')).toMatchInlineSnapshot(`configmap/a annotated`);
    expect((await k.stored('configmaps/a')).metadata.annotations).toEqual({ 'example.com/x': '1' });
  });
});
