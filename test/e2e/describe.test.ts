import { expect } from 'vitest';
import { cloneSet, configMap, pod } from './manifests.ts';
import { suite } from './suite.ts';

const event = (name: string, uid: string, reason: string, type = 'Normal') => `apiVersion: v1
kind: Event
metadata: { name: ${name} }
involvedObject: { apiVersion: v1, kind: Pod, name: p, namespace: NS, uid: ${uid} }
reason: ${reason}
message: It was ${reason}.
type: ${type}
count: 2
source: { component: tester }
firstTimestamp: 2026-01-01T00:00:00Z
lastTimestamp: 2026-01-01T00:01:00Z
`;

/** Ages since a fixed time grow from day to day. */
const ageless = (text: string) => text.replaceAll(/\b\d+(?:d|y\d*d?)(?:\d+h)?\b/g, 'AGE');

suite('describe', (test) => {
  test('a ConfigMap, a CloneSet, a missing object', async (k) => {
    await k.run('create -f -', configMap('a', 'colour: blue'));
    expect(await k.run('describe cm a')).toMatchInlineSnapshot(`
      Name:   a
      Namespace:   NAMESPACE
      Labels:   app=web
      Annotations:   <none>

      Data
      ====
      colour:
      ----
      blue


      BinaryData
      ====

      Events:   <none>
    `);
    await k.run('create -f -', cloneSet('web'));
    expect(await k.run('describe clonesets.v1alpha1.apps.kruise.io web')).toMatchInlineSnapshot(`
      Name:   web
      Namespace:   NAMESPACE
      Labels:   app=web
      Annotations:   <none>
      API Version:   apps.kruise.io/v1alpha1
      Kind:   CloneSet
      Metadata:
        Creation Timestamp:   TIME
        Generation:   1
        Resource Version:   RV
        UID:   UID
      Spec:
        Replicas:   0
        Revision History Limit:   10
        Selector:
          Match Labels:
            App:   web
        Template:
          Metadata:
            Labels:
              App:   web
          Spec:
            Containers:
              Image:   example.com/web:1
              Name:   main
              Image:   example.com/proxy:1
              Name:   proxy
        Update Strategy:
          In Place Update Strategy:
          Max Surge:   0
          Max Unavailable:   20%
          Partition:   0
          Type:   ReCreate
      Events:   <none>
    `);
    expect(await k.run('describe cm nope')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): configmaps "nope" not found
      [exit 1]
    `);
    expect(await k.run('describe clone')).toMatch(/^Name: {3}web$/m);
  });

  test('a pod with its events; events alone', async (k) => {
    await k.run('create -f -', pod('p'));
    const { uid } = (await k.stored('pods/p')).metadata;
    const events = `${event('p.1', uid, 'Seen')}---\n${event('p.2', uid, 'Hurt', 'Warning')}`.replaceAll(
      'NS',
      k.namespace,
    );
    expect(await k.run('create -f -', events)).toMatchInlineSnapshot(`
      event/p.1 created
      event/p.2 created
    `);
    expect(ageless((await k.run('describe pod p')).replace(/Tolerations:.*?(?=^Events)/ms, '')))
      .toMatchInlineSnapshot(`
        Name:   p
        Namespace:   NAMESPACE
        Priority:   0
        Node:   nowhere/
        Labels:   app=web
        Annotations:   <none>
        Status:   Pending
        IP:
        IPs:   <none>
        Containers:
          main:
            Image:   example.com/web:1
            Port:   <none>
            Host Port:   <none>
            Environment:   <none>
            Mounts:   <none>
        Volumes:   <none>
        QoS Class:   BestEffort
        Node-Selectors:   <none>
        Events:
          Type   Reason   Age   From   Message
          ----   ------   ----   ----   -------
          Normal   Seen   AGE (x2 over AGE)   tester   It was Seen.
          Warning   Hurt   AGE (x2 over AGE)   tester   It was Hurt.
      `);
    expect(ageless(await k.run('get events --field-selector involvedObject.name=p'))).toMatchInlineSnapshot(`
      LAST SEEN   TYPE   REASON   OBJECT   MESSAGE
      AGE   Normal   Seen   pod/p   It was Seen.
      AGE   Warning   Hurt   pod/p   It was Hurt.
    `);
    expect(ageless(await k.run('events --for pod/p --types=Warning'))).toMatchInlineSnapshot(`
      LAST SEEN   TYPE   REASON   OBJECT   MESSAGE
      AGE (x2 over AGE)   Warning   Hurt   Pod/p   It was Hurt.
    `);
    expect(ageless(await k.run('get events --field-selector type=Warning -o wide'))).toMatchInlineSnapshot(`
      LAST SEEN   TYPE   REASON   OBJECT   SUBOBJECT   SOURCE   MESSAGE   FIRST SEEN   COUNT   NAME
      AGE   Warning   Hurt   pod/p   tester   It was Hurt.   AGE   2   p.2
    `);
  });

  test('logs, exec and cp of a pod without a node', async (k) => {
    await k.run('create -f -', pod('p').replace('  nodeName: nowhere\n', '  schedulerName: nobody\n'));
    expect((await k.raw('exec p -- true')).code).toBe(1);
    expect(await k.run('logs nope')).toMatchInlineSnapshot(`
      [stderr]
      error: error from server (NotFound): pods "nope" not found in namespace "NAMESPACE"
      [exit 1]
    `);
    expect(await k.run('exec nope -- true')).toMatchInlineSnapshot(`
      [stderr]
      Error from server (NotFound): pods "nope" not found
      [exit 1]
    `);
    expect((await k.raw('cp p:/etc/hosts hosts')).code).toBe(1);
  });
});
