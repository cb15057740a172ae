import { expect } from 'vitest';
import { suite } from './suite.ts';

const pulled = `apiVersion: v1
kind: Event
metadata: { name: pulled }
involvedObject: { apiVersion: v1, kind: Pod, name: p, namespace: NS, fieldPath: 'spec.containers{web}' }
reason: Pulled
message: It was pulled.
type: Normal
count: 2
source: { component: kubelet, host: n1 }
firstTimestamp: 2026-01-01T00:00:00Z
lastTimestamp: 2026-01-01T00:01:00Z
`;

const bound = `apiVersion: events.k8s.io/v1
kind: Event
metadata: { name: bound }
regarding: { apiVersion: v1, kind: Pod, name: p, namespace: NS }
reason: Bound
note: It was bound.
type: Normal
action: Binding
reportingController: example.com/scheduler
reportingInstance: s-0
eventTime: 2026-01-01T00:00:00.123456Z
series: { count: 3, lastObservedTime: 2026-01-01T00:05:00.000000Z }
`;

/** Ages since a fixed time grow from day to day. */
const ageless = (text: string) => text.replaceAll(/\b\d+(?:d|y\d*d?)(?:\d+h)?\b/g, 'AGE');

suite('versions', (test) => {
  test('an Event is one object in both groups', async (k) => {
    const of = (text: string) => text.replace('NS', k.namespace);
    expect(await k.run('create -f -', of(pulled))).toMatchInlineSnapshot(`event/pulled created`);
    expect(await k.run('create -f -', of(bound))).toMatchInlineSnapshot(`event.events.k8s.io/bound created`);
    expect(ageless(await k.run('get events.events.k8s.io -o wide'))).toMatchInlineSnapshot(`
      LAST SEEN   TYPE   REASON   OBJECT   SUBOBJECT   SOURCE   MESSAGE   FIRST SEEN   COUNT   NAME
      AGE   Normal   Bound   pod/p   example.com/scheduler, s-0   It was bound.   AGE   3   bound
      AGE   Normal   Pulled   pod/p   spec.containers{web}   kubelet, n1   It was pulled.   AGE   2   pulled
    `);
    expect(ageless(await k.run('get events'))).toMatchInlineSnapshot(`
      LAST SEEN   TYPE   REASON   OBJECT   MESSAGE
      AGE   Normal   Bound   pod/p   It was bound.
      AGE   Normal   Pulled   pod/p   It was pulled.
    `);
    expect(await k.run('get events.v1.events.k8s.io pulled -o yaml')).toMatchInlineSnapshot(`
      apiVersion: events.k8s.io/v1
      deprecatedCount: 2
      deprecatedFirstTimestamp: "TIME"
      deprecatedLastTimestamp: "TIME"
      deprecatedSource:
        component: kubelet
        host: n1
      eventTime: null
      kind: Event
      metadata:
        creationTimestamp: "TIME"
        name: pulled
        namespace: NAMESPACE
        resourceVersion: "RV"
        uid: UID
      note: It was pulled.
      reason: Pulled
      regarding:
        apiVersion: v1
        fieldPath: spec.containers{web}
        kind: Pod
        name: p
        namespace: NAMESPACE
      type: Normal
    `);
    expect(await k.run('get events.v1. bound -o yaml')).toMatchInlineSnapshot(`
      action: Binding
      apiVersion: v1
      eventTime: "TIME"
      firstTimestamp: null
      involvedObject:
        apiVersion: v1
        kind: Pod
        name: p
        namespace: NAMESPACE
      kind: Event
      lastTimestamp: null
      message: It was bound.
      metadata:
        creationTimestamp: "TIME"
        name: bound
        namespace: NAMESPACE
        resourceVersion: "RV"
        uid: UID
      reason: Bound
      reportingComponent: example.com/scheduler
      reportingInstance: s-0
      series:
        count: 3
        lastObservedTime: "TIME"
      source: {}
      type: Normal
    `);
    expect(
      await k.run('get events.events.k8s.io -o name --field-selector regarding.name=p,reason=Bound'),
    ).toMatchInlineSnapshot(`event.events.k8s.io/bound`);
    expect(
      await k.run('get events -o name --field-selector reportingComponent=example.com/scheduler'),
    ).toMatchInlineSnapshot(`event/bound`);
    expect(await k.run('get events.events.k8s.io --field-selector involvedObject.name=p'))
      .toMatchInlineSnapshot(`
      [stderr]
      Error from server (BadRequest): Unable to find "events.k8s.io/v1, Resource=events" that match label selector "", field selector "involvedObject.name=p": field label not supported: involvedObject.name
      [exit 1]
    `);
    expect(
      await k.run(`patch events.events.k8s.io bound --type=merge -p '{"series":{"count":4}}'`),
    ).toMatchInlineSnapshot(`event.events.k8s.io/bound patched`);
    expect(await k.run(`patch events.events.k8s.io bound --type=merge -p '{"note":"else"}'`))
      .toMatchInlineSnapshot(`
      [stderr]
      The Event "bound" is invalid: message: Invalid value: "else": field is immutable
      [exit 1]
    `);
    expect(await k.run(`patch event bound --type=merge -p '{"message":"else"}'`)).toMatchInlineSnapshot(
      `event/bound patched`,
    );
    expect(
      await k.run(
        'create -f -',
        of(bound)
          .replace('bound', 'b')
          .replace('count: 3', 'count: 1')
          .replace('type: Normal', 'type: Odd')
          .replace('example.com/scheduler', '"a b"'),
      ),
    ).toMatchInlineSnapshot(`
      [stderr]
      The Event "b" is invalid:
      * reportingController: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',   or 'my.name',   or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
      * series.count: Invalid value: "": should be at least 2
      * type: Invalid value: "": has invalid value: Odd
      [exit 1]
    `);
    const { metadata } = await k.stored('events/bound');
    const owners = (metadata.managedFields ?? []).map((entry) => JSON.stringify({ ...entry, time: 'TIME' }));
    expect(owners.sort().join('\n')).toMatchInlineSnapshot(
      `{"manager":"kubectl-patch","operation":"Update","apiVersion":"v1","time":"TIME","fieldsType":"FieldsV1","fieldsV1":{"f:message":{}}}`,
    );
    await k.run('delete events.events.k8s.io --all');
    expect(await k.run('get events')).toMatchInlineSnapshot(`
      [stderr]
      No resources found in NAMESPACE namespace.
    `);
  });

  test('an autoscaler is one object in both versions', async (k) => {
    await k.run('create deployment web --image=a --replicas=0');
    // Newer kubectls complain of the option.
    const autoscaled = await k.raw('autoscale deployment web --max=3 --cpu-percent=40');
    expect(autoscaled.out).toBe('horizontalpodautoscaler.autoscaling/web autoscaled\n');
    expect(await k.run('get hpa')).toMatchInlineSnapshot(`
      NAME   REFERENCE   TARGETS   MINPODS   MAXPODS   REPLICAS   AGE
      web   Deployment/web   cpu: <unknown>/40%   1   3   0   AGE
    `);
    const path = `/apis/autoscaling/v1/namespaces/${k.namespace}/horizontalpodautoscalers/web`;
    const old = await k.stored('horizontalpodautoscalers/web', 'autoscaling/v1');
    expect([old.apiVersion, old.spec, old.status]).toMatchInlineSnapshot(`
      [
        autoscaling/v1,
        {
          maxReplicas: 3,
          minReplicas: 1,
          scaleTargetRef: {
            apiVersion: apps/v1,
            kind: Deployment,
            name: web,
          },
          targetCPUUtilizationPercentage: 40,
        },
        {
          currentReplicas: 0,
          desiredReplicas: 0,
        },
      ]
    `);
    const part = { spec: { targetCPUUtilizationPercentage: 20 } };
    await k.server.rest('PATCH', path, part, 'application/merge-patch+json');
    expect(await k.run('get hpa web -o yaml')).toMatchInlineSnapshot(`
      apiVersion: autoscaling/v2
      kind: HorizontalPodAutoscaler
      metadata:
        creationTimestamp: "TIME"
        name: web
        namespace: NAMESPACE
        resourceVersion: "RV"
        uid: UID
      spec:
        maxReplicas: 3
        metrics:
        - resource:
            name: cpu
            target:
              averageUtilization: 20
              type: Utilization
          type: Resource
        minReplicas: 1
        scaleTargetRef:
          apiVersion: apps/v1
          kind: Deployment
          name: web
      status:
        currentMetrics: null
        desiredReplicas: 0
    `);
    const none = { spec: { targetCPUUtilizationPercentage: 0 } };
    await expect(k.server.rest('PATCH', path, none, 'application/merge-patch+json')).rejects.toThrow(
      'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
    );
  });

  test('fields that version 1 of an autoscaler lacks are in its annotations', async (k) => {
    const given = `metrics:
    - type: Resource
      resource: { name: memory, target: { type: AverageValue, averageValue: 100Mi } }
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: 70 } }
    - type: Pods
      pods: { metric: { name: rps, selector: { matchLabels: { a: b } } }, target: { type: AverageValue, averageValue: 10 } }
    - type: Object
      object: { metric: { name: m }, describedObject: { apiVersion: v1, kind: Service, name: s }, target: { type: Value, value: 5 } }
    - type: External
      external: { metric: { name: q }, target: { type: AverageValue, averageValue: 30 } }
    - type: ContainerResource
      containerResource: { name: cpu, container: x, target: { type: Utilization, averageUtilization: 60 } }
`;
    const autoscaler = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: a }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  maxReplicas: 3
  behavior: { scaleDown: { stabilizationWindowSeconds: 60 } }
  ${given}`;
    expect(await k.run('create -f -', autoscaler)).toMatchInlineSnapshot(
      `horizontalpodautoscaler.autoscaling/a created`,
    );
    await k.setStatus(
      'horizontalpodautoscalers/a',
      {
        currentReplicas: 2,
        desiredReplicas: 3,
        conditions: [
          {
            type: 'AbleToScale',
            status: 'True',
            reason: 'x',
            message: 'y',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
        currentMetrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', current: { averageUtilization: 33, averageValue: '100m' } },
          },
        ],
      },
      'autoscaling/v2',
    );
    const old = await k.stored('horizontalpodautoscalers/a', 'autoscaling/v1');
    expect(old.metadata.annotations).toMatchInlineSnapshot(`
      {
        autoscaling.alpha.kubernetes.io/behavior: {"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15},{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":{"StabilizationWindowSeconds":60,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null}},
        autoscaling.alpha.kubernetes.io/conditions: [{"type":"AbleToScale","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"x","message":"y"}],
        autoscaling.alpha.kubernetes.io/current-metrics: [{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":33,"currentAverageValue":"100m"}}],
        autoscaling.alpha.kubernetes.io/metrics: [{"type":"Resource","resource":{"name":"memory","targetAverageValue":"100Mi"}},{"type":"Pods","pods":{"metricName":"rps","targetAverageValue":"10","selector":{"matchLabels":{"a":"b"}}}},{"type":"Object","object":{"target":{"kind":"Service","name":"s","apiVersion":"v1"},"metricName":"m","targetValue":"5"}},{"type":"External","external":{"metricName":"q","targetAverageValue":"30"}},{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":60,"container":"x"}}],
      }
    `);
    expect([old.spec, old.status]).toMatchInlineSnapshot(`
      [
        {
          maxReplicas: 3,
          minReplicas: 1,
          scaleTargetRef: {
            apiVersion: apps/v1,
            kind: Deployment,
            name: web,
          },
          targetCPUUtilizationPercentage: 70,
        },
        {
          currentCPUUtilizationPercentage: 33,
          currentReplicas: 2,
          desiredReplicas: 3,
        },
      ]
    `);
    const before = await k.stored('horizontalpodautoscalers/a', 'autoscaling/v2');
    const path = `/apis/autoscaling/v1/namespaces/${k.namespace}/horizontalpodautoscalers/a`;
    const shown = { metadata: { labels: { seen: 'yes' } } };
    await k.server.rest('PATCH', path, shown, 'application/merge-patch+json');
    const { spec, status, metadata } = await k.stored('horizontalpodautoscalers/a', 'autoscaling/v2');
    // The processor's metric comes last now.
    const metrics = before.spec['metrics'] as unknown[];
    expect(spec['metrics']).toEqual([...metrics.toSpliced(1, 1), metrics[1]]);
    expect([spec['behavior'], status, metadata.annotations]).toEqual([
      before.spec['behavior'],
      before.status,
      undefined,
    ]);
  });
});
