import { expect } from 'vitest';
import { cloneSet, configMap, documents, pod } from './manifests.ts';
import { until } from '../until.ts';
import type { Running } from './run.ts';
import { suite } from './suite.ts';

suite('get', (test) => {
  test('tables: labels, label columns, without headers, several kinds', async (k) => {
    const secret = 'apiVersion: v1\nkind: Secret\nmetadata: { name: s, labels: { app: web } }\n';
    await k.run('create -f -', documents(configMap('a'), configMap('b', 'x: y, z: w'), secret));
    expect(await k.run('get cm -l app=web')).toMatchInlineSnapshot(`
      NAME   DATA   AGE
      a   1   AGE
    `);
    expect(await k.run('get cm -l app=web --show-labels')).toMatchInlineSnapshot(`
      NAME   DATA   AGE   LABELS
      a   1   AGE   app=web
    `);
    expect(await k.run('get cm -l app=web -L app')).toMatchInlineSnapshot(`
      NAME   DATA   AGE   APP
      a   1   AGE   web
    `);
    expect(await k.run('get cm -l app=web --no-headers')).toMatchInlineSnapshot(`a   1   AGE`);
    expect(await k.run('get cm,secret -l app=web')).toMatchInlineSnapshot(`
      NAME   DATA   AGE
      configmap/a   1   AGE

      NAME   TYPE   DATA   AGE
      secret/s   Opaque   0   AGE
    `);
    expect(await k.run('get cm/a secret/s')).toMatchInlineSnapshot(`
      NAME   DATA   AGE
      configmap/a   1   AGE

      NAME   TYPE   DATA   AGE
      secret/s   Opaque   0   AGE
    `);
    expect(await k.run('get cm a --show-kind')).toMatchInlineSnapshot(`
      NAME   DATA   AGE
      configmap/a   1   AGE
    `);
    expect(await k.run('get -f -', configMap('b'))).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): configmaps "b" not found
      [exit 1]
    `);
  });

  test('names, yaml, json, jsonpath, templates, custom columns', async (k) => {
    await k.run('create -f -', documents(configMap('a'), configMap('b', 'x: y, z: w')));
    expect(await k.run('get cm -l app=web -o name')).toMatchInlineSnapshot(`configmap/a`);
    expect(await k.run('get cm a -o yaml')).toMatchInlineSnapshot(`
      apiVersion: v1
      data:
        colour: blue
      kind: ConfigMap
      metadata:
        creationTimestamp: "TIME"
        labels:
          app: web
        name: a
        namespace: NAMESPACE
        resourceVersion: "RV"
        uid: UID
    `);
    expect(await k.run('get cm a -o json')).toMatchInlineSnapshot(`
      {
          "apiVersion": "v1",
          "data": {
              "colour": "blue"
          },
          "kind": "ConfigMap",
          "metadata": {
              "creationTimestamp": "TIME",
              "labels": {
                  "app": "web"
              },
              "name": "a",
              "namespace": "NAMESPACE",
              "resourceVersion": "RV",
              "uid": "UID"
          }
      }
    `);
    expect(await k.run('get cm a -o yaml --show-managed-fields')).toMatchInlineSnapshot(`
      apiVersion: v1
      data:
        colour: blue
      kind: ConfigMap
      metadata:
        creationTimestamp: "TIME"
        labels:
          app: web
        managedFields:
        - apiVersion: v1
          fieldsType: FieldsV1
          fieldsV1:
            f:data:
              .: {}
              f:colour: {}
            f:metadata:
              f:labels:
                .: {}
                f:app: {}
          manager: kubectl-create
          operation: Update
          time: "TIME"
        name: a
        namespace: NAMESPACE
        resourceVersion: "RV"
        uid: UID
    `);
    expect(await k.run('get cm a -o jsonpath={.data.colour}')).toMatchInlineSnapshot(`blue`);
    expect(await k.run('get cm -l app=web -o jsonpath={.items[*].metadata.name}')).toMatchInlineSnapshot(`a`);
    expect(await k.run("get cm a '-o=go-template={{.data.colour}}'")).toMatchInlineSnapshot(`blue`);
    expect(await k.run('get cm -l app=web -o custom-columns=NAME:.metadata.name,X:.data.x'))
      .toMatchInlineSnapshot(`
        NAME   X
        a   <none>
      `);
    expect(await k.run('get cm -l app=web -o json --chunk-size=1')).toMatchInlineSnapshot(`
      {
          "apiVersion": "v1",
          "items": [
              {
                  "apiVersion": "v1",
                  "data": {
                      "colour": "blue"
                  },
                  "kind": "ConfigMap",
                  "metadata": {
                      "creationTimestamp": "TIME",
                      "labels": {
                          "app": "web"
                      },
                      "name": "a",
                      "namespace": "NAMESPACE",
                      "resourceVersion": "RV",
                      "uid": "UID"
                  }
              }
          ],
          "kind": "List",
          "metadata": {
              "resourceVersion": ""
          }
      }
    `);
  });

  test('selectors, sorting, pages, all namespaces', async (k) => {
    const each = ['c', 'a', 'b'].map((name, index) =>
      configMap(name, `rank: "${index}"`, `app: web, at: ${k.namespace}, name: ${name}`),
    );
    await k.run('create -f -', documents(...each));
    expect(await k.run('get cm -o name -l app=web --sort-by=.data.rank')).toMatchInlineSnapshot(`
      configmap/c
      configmap/a
      configmap/b
    `);
    expect(await k.run('get cm -o name -l app=web --sort-by=.metadata.name')).toMatchInlineSnapshot(`
      configmap/a
      configmap/b
      configmap/c
    `);
    expect(await k.run('get cm -l app=web --chunk-size=1')).toMatchInlineSnapshot(`
      NAME   DATA   AGE
      a   1   AGE
      b   1   AGE
      c   1   AGE
    `);
    expect(await k.run("get cm -o name -l 'name in (a,b),name!=b'")).toMatchInlineSnapshot(`configmap/a`);
    expect(await k.run('get cm -o name --field-selector metadata.name=b')).toMatchInlineSnapshot(
      `configmap/b`,
    );
    expect(await k.run('get cm --field-selector data.rank=1')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (BadRequest): Unable to find "/v1, Resource=configmaps" that match label selector "", field selector "data.rank=1": "data.rank" is not a known field selector: only "metadata.name", "metadata.namespace"
      [exit 1]
    `);
    expect(await k.run("get cm -l 'a b'")).toMatchInlineSnapshot(`
      [stderr]
      Error from server (BadRequest): Unable to find "/v1, Resource=configmaps" that match label selector "a b", field selector "": unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt
      [exit 1]
    `);
    expect(await k.run(`get cm -A -l at=${k.namespace},name=a`)).toMatchInlineSnapshot(`
      NAMESPACE   NAME   DATA   AGE
      NAMESPACE   a   1   AGE
    `);
    expect(await k.run('get cm -l app=nobody')).toMatchInlineSnapshot(`
      [stderr]
      No resources found in NAMESPACE namespace.
    `);
    expect(await k.run('get cm -l app=nobody -o yaml')).toMatchInlineSnapshot(`
      apiVersion: v1
      items: []
      kind: List
      metadata:
        resourceVersion: ""
    `);
  });

  test('missing objects', async (k) => {
    await k.run('create -f -', configMap('a'));
    expect(await k.run('get cm nope')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): configmaps "nope" not found
      [exit 1]
    `);
    expect(await k.run('get cm nope --ignore-not-found')).toMatchInlineSnapshot(``);
    expect(await k.run('get cm a nope')).toMatchInlineSnapshot(`
      NAME   DATA   AGE
      a   1   AGE
      [stderr]
      Error from server (NotFound): configmaps "nope" not found
      [exit 1]
    `);
    expect(await k.run('get nosuchkind')).toMatchInlineSnapshot(`
      [stderr]
      error: the server doesn't have a resource type "nosuchkind"
      [exit 1]
    `);
    expect(await k.run('get deployments.nosuch.group')).toMatchInlineSnapshot(`
      [stderr]
      error: the server doesn't have a resource type "deployments"
      [exit 1]
    `);
    expect(await k.run('get clone nope')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): clonesets.apps.kruise.io "nope" not found
      [exit 1]
    `);
    expect(await k.run('get clone')).toMatchInlineSnapshot(`
      [stderr]
      No resources found in NAMESPACE namespace.
    `);
    expect(await k.run('get cm a -n nosuchnamespace')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): namespaces "nosuchnamespace" not found
      [exit 1]
    `);
    expect(await k.run(`get --raw /api/v1/namespaces/${k.namespace}/configmaps/nope`)).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): configmaps "nope" not found
      [exit 1]
    `);
    expect(await k.run('get --raw /nosuch/path')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): the server could not find the requested resource
      [exit 1]
    `);
  });

  test('pods: readiness, status, restarts, wide', async (k) => {
    await k.run('create -f -', documents(pod('crash'), pod('done'), pod('gone'), pod('ready'), pod('wait')));
    const container = { name: 'main', image: 'example.com/web:1', imageID: 'x', lastState: {} };
    await k.setStatus('pods/crash', {
      phase: 'Running',
      containerStatuses: [
        { ...container, ready: false, restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } },
      ],
    });
    await k.setStatus('pods/done', {
      phase: 'Succeeded',
      containerStatuses: [
        {
          ...container,
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode: 0, reason: 'Completed' } },
        },
      ],
    });
    await k.setStatus('pods/gone', { phase: 'Failed', reason: 'Evicted' });
    await k.setStatus('pods/ready', {
      phase: 'Running',
      podIP: '10.9.8.7',
      podIPs: [{ ip: '10.9.8.7' }],
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ ...container, ready: true, restartCount: 0, state: { running: {} } }],
    });
    expect(await k.run('get pods')).toMatchInlineSnapshot(`
      NAME   READY   STATUS   RESTARTS   AGE
      crash   0/1   CrashLoopBackOff   3   AGE
      done   0/1   Completed   0   AGE
      gone   0/1   Evicted   0   AGE
      ready   1/1   Running   0   AGE
      wait   0/1   Pending   0   AGE
    `);
    expect(await k.run('get pods -o wide')).toMatchInlineSnapshot(`
      NAME   READY   STATUS   RESTARTS   AGE   IP   NODE   NOMINATED NODE   READINESS GATES
      crash   0/1   CrashLoopBackOff   3   AGE   <none>   nowhere   <none>   <none>
      done   0/1   Completed   0   AGE   <none>   nowhere   <none>   <none>
      gone   0/1   Evicted   0   AGE   <none>   nowhere   <none>   <none>
      ready   1/1   Running   0   AGE   10.9.8.7   nowhere   <none>   <none>
      wait   0/1   Pending   0   AGE   <none>   nowhere   <none>   <none>
    `);
    expect(await k.run('get pods --field-selector status.phase=Running')).toMatchInlineSnapshot(`
      NAME   READY   STATUS   RESTARTS   AGE
      crash   0/1   CrashLoopBackOff   3   AGE
      ready   1/1   Running   0   AGE
    `);
    expect(await k.run('get pods --field-selector spec.nodeName=nowhere,status.phase!=Pending -o name'))
      .toMatchInlineSnapshot(`
        pod/crash
        pod/done
        pod/gone
        pod/ready
      `);
  });

  test('watching: changes, events, and objects that leave the selector', async (k) => {
    await k.run('create -f -', configMap('a'));
    const watch = await k.watching('get cm -l app=web -w --output-watch-events --no-headers');
    const only = await k.watching('get cm -l app=web --watch-only -o name');
    const lines = (running: Running) => running.printed().trim().split('\n').length;
    const shown = (text: string) => until(text, () => watch.printed().includes(text));
    await k.run('create -f -', configMap('b'));
    await shown(' b ');
    await k.run('annotate cm a x=y');
    await shown('MODIFIED');
    await k.run('label cm a app-');
    await shown('DELETED');
    await k.run('delete cm b --wait=false');
    await until('all changes', () => lines(watch) >= 5 && lines(only) >= 4);
    watch.stop();
    only.stop();
    expect(k.text(await watch.done)).toMatchInlineSnapshot(`
      ADDED   a   1   AGE
      ADDED   b   1   AGE
      MODIFIED   a   1   AGE
      DELETED   a   1   AGE
      DELETED   b   1   AGE
      [exit 1]
    `);
    expect(k.text(await only.done)).toMatchInlineSnapshot(`
      configmap/b
      configmap/a
      configmap/a
      configmap/b
      [exit 1]
    `);
  });

  test('CloneSets: short name, columns, both versions', async (k) => {
    await k.run('create -f -', cloneSet('web'));
    expect(await k.run('get clone')).toMatchInlineSnapshot(`
      NAME   DESIRED   UPDATED   UPDATED_READY   UPDATED_AVAILABLE   READY   TOTAL   AGE
      web   0   AGE
    `);
    expect(await k.run('get clone -o wide')).toMatchInlineSnapshot(`
      NAME   DESIRED   UPDATED   UPDATED_READY   UPDATED_AVAILABLE   READY   TOTAL   AGE   CONTAINERS   IMAGES   SELECTOR
      web   0   AGE   main   example.com/web:1
    `);
    const counts = { replicas: 6, readyReplicas: 5, availableReplicas: 4 };
    const updated = { updatedReplicas: 3, updatedReadyReplicas: 2, updatedAvailableReplicas: 1 };
    await k.setStatus(
      'clonesets/web',
      { ...counts, ...updated, labelSelector: 'app=web' },
      'apps.kruise.io/v1beta1',
    );
    for (const name of ['clone', 'clonesets.v1alpha1.apps.kruise.io'])
      expect(await k.run(`get ${name} -o wide`)).toMatchInlineSnapshot(`
        NAME   DESIRED   UPDATED   UPDATED_READY   UPDATED_AVAILABLE   READY   TOTAL   AGE   CONTAINERS   IMAGES   SELECTOR
        web   0   3   2   1   5   6   AGE   main   example.com/web:1   app=web
      `);
    expect(await k.run('get clonesets.v1alpha1.apps.kruise.io web -o name')).toMatchInlineSnapshot(
      `cloneset.apps.kruise.io/web`,
    );
    expect(
      await k.run('get clonesets.v1beta1.apps.kruise.io web -o jsonpath={.apiVersion}'),
    ).toMatchInlineSnapshot(`apps.kruise.io/v1beta1`);
    expect(await k.run('get clone --sort-by=.spec.replicas')).toMatchInlineSnapshot(`
      NAME   DESIRED   UPDATED   UPDATED_READY   UPDATED_AVAILABLE   READY   TOTAL   AGE
      web   0   3   2   1   5   6   AGE
    `);
  });
});
