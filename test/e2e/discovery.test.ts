import { expect } from 'vitest';
import { cloneSet } from './manifests.ts';
import { suite } from './suite.ts';

const lines = (text: string, pattern: RegExp) =>
  text
    .split('\n')
    .filter((line) => pattern.test(line))
    .join('\n');

suite('discovery', (test) => {
  test('api-resources and api-versions', async (k) => {
    expect(await k.run('api-resources --api-group=apps.kruise.io')).toMatchInlineSnapshot(`
      NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND
      advancedcronjobs   acj   apps.kruise.io/v1beta1   true   AdvancedCronJob
      broadcastjobs   bcj   apps.kruise.io/v1beta1   true   BroadcastJob
      clonesets   clone   apps.kruise.io/v1beta1   true   CloneSet
      containerrecreaterequests   crr   apps.kruise.io/v1beta1   true   ContainerRecreateRequest
      daemonsets   daemon,ads   apps.kruise.io/v1beta1   true   DaemonSet
      imagelistpulljobs   apps.kruise.io/v1beta1   true   ImageListPullJob
      imagepulljobs   apps.kruise.io/v1beta1   true   ImagePullJob
      nodeimages   apps.kruise.io/v1beta1   false   NodeImage
      resourcedistributions   distributor   apps.kruise.io/v1beta1   false   ResourceDistribution
      sidecarsets   apps.kruise.io/v1beta1   false   SidecarSet
      statefulsets   sts,asts   apps.kruise.io/v1beta1   true   StatefulSet
      uniteddeployments   ud   apps.kruise.io/v1beta1   true   UnitedDeployment
      workloadspreads   ws   apps.kruise.io/v1beta1   true   WorkloadSpread
    `);
    expect(await k.run('api-resources --api-group=plan.kruise.io -o wide')).toMatchInlineSnapshot(`
      NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND   VERBS   CATEGORIES
      clusterrolloutcommands   croc   plan.kruise.io/v1alpha1   false   ClusterRolloutCommand   delete,deletecollection,get,list,patch,create,update,watch
      clusterrolloutplans   crop   plan.kruise.io/v1alpha1   false   ClusterRolloutPlan   delete,deletecollection,get,list,patch,create,update,watch
      rolloutcommands   roc   plan.kruise.io/v1alpha1   true   RolloutCommand   delete,deletecollection,get,list,patch,create,update,watch
      rolloutplans   rop   plan.kruise.io/v1alpha1   true   RolloutPlan   delete,deletecollection,get,list,patch,create,update,watch
    `);
    expect(await k.run('api-resources --api-group=apps -o wide')).toMatchInlineSnapshot(`
      NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND   VERBS   CATEGORIES
      controllerrevisions   apps/v1   true   ControllerRevision   create,delete,deletecollection,get,list,patch,update,watch
      daemonsets   ds   apps/v1   true   DaemonSet   create,delete,deletecollection,get,list,patch,update,watch   all
      deployments   deploy   apps/v1   true   Deployment   create,delete,deletecollection,get,list,patch,update,watch   all
      replicasets   rs   apps/v1   true   ReplicaSet   create,delete,deletecollection,get,list,patch,update,watch   all
      statefulsets   sts   apps/v1   true   StatefulSet   create,delete,deletecollection,get,list,patch,update,watch   all
    `);
    expect(await k.run('api-resources --api-group=policy')).toMatchInlineSnapshot(`
      NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND
      poddisruptionbudgets   pdb   policy/v1   true   PodDisruptionBudget
    `);
    expect(await k.run('api-resources --api-group=batch -o name')).toMatchInlineSnapshot(`
      cronjobs.batch
      jobs.batch
    `);
    const core = await k.run(`api-resources --api-group='' --no-headers`);
    expect(lines(core, /^(?:pods|nodes|namespaces|events|configmaps|persistentvolumeclaims) /))
      .toMatchInlineSnapshot(`
        configmaps   cm   v1   true   ConfigMap
        events   ev   v1   true   Event
        namespaces   ns   v1   false   Namespace
        nodes   no   v1   false   Node
        persistentvolumeclaims   pvc   v1   true   PersistentVolumeClaim
        pods   po   v1   true   Pod
      `);
    expect(
      lines(
        await k.run('api-versions'),
        /^(?:v1|apps|batch|policy|apps\.kruise\.io|plan\.kruise\.io|coordination\.k8s\.io)(?:\/v1(?:alpha1|beta1)?)?$/,
      ),
    ).toMatchInlineSnapshot(`
      apps.kruise.io/v1alpha1
      apps.kruise.io/v1beta1
      apps/v1
      batch/v1
      coordination.k8s.io/v1
      plan.kruise.io/v1alpha1
      policy/v1
      v1
    `);
    expect(await k.run('api-resources --api-group=nosuch')).toMatchInlineSnapshot(
      `NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND`,
    );
  });

  test('explain of custom kinds', async (k) => {
    expect(await k.run('explain cloneset.spec.updateStrategy')).toMatchInlineSnapshot(`
      GROUP:   apps.kruise.io
      KIND:   CloneSet
      VERSION:   v1beta1

      FIELD: updateStrategy <Object>


      DESCRIPTION:
          How pods are updated to a new template.

      FIELDS:
        inPlaceUpdateStrategy	<Object>
          How an update in place is carried out.

        maxSurge	<Object>
          Maximum number of pods above the desired number during the update.

        maxUnavailable	<Object>
          Maximum number of unavailable pods during the update.

        partition	<Object>
          How many pods stay on the old revision.

        paused	<boolean>
          No further pod is selected for update while true.

        priorityStrategy	<Object>
          Which pods are updated first.

        rollingUpdate	<Object>
          The v1beta1 location of the sibling fields.

        scatterStrategy	<[]Object>
          Labels whose pods are spread over the update order.

        type	<string>
        enum: RollingUpdate, OnDelete, ReCreate, InPlaceIfPossible, ....
          RollingUpdate or OnDelete in v1beta1; ReCreate, InPlaceIfPossible or
          InPlaceOnly in v1alpha1.
    `);
    expect(await k.run('explain clone.spec.replicas')).toMatchInlineSnapshot(`
      GROUP:   apps.kruise.io
      KIND:   CloneSet
      VERSION:   v1beta1

      FIELD: replicas <integer>


      DESCRIPTION:
          The desired number of pods.
    `);
    expect(
      await k.run('explain rolloutplan --recursive').then((text) => text.split('\n').slice(0, 3).join('\n')),
    ).toMatchInlineSnapshot(`
      GROUP:   plan.kruise.io
      KIND:   RolloutPlan
      VERSION:   v1alpha1
    `);
    expect(await k.run('explain cloneset.spec.nosuch')).toMatchInlineSnapshot(`
      GROUP:   apps.kruise.io
      KIND:   CloneSet
      VERSION:   v1beta1
      [stderr]
      error: field "nosuch" does not exist
      [exit 1]
    `);
    expect(await k.run('explain nosuchkind')).toMatchInlineSnapshot(`
      [stderr]
      the server doesn't have a resource type "nosuchkind"
      [exit 1]
    `);
    expect(
      await k
        .run('explain clonesets --api-version=apps.kruise.io/v1alpha1')
        .then((text) => lines(text, /^[A-Z]/)),
    ).toMatchInlineSnapshot(`
      GROUP:   apps.kruise.io
      KIND:   CloneSet
      VERSION:   v1alpha1
      DESCRIPTION:
      FIELDS:
    `);
  });

  test('explain of built-in kinds: their fields and types', async (k) => {
    const shape = /^(?:GROUP|KIND|VERSION|FIELD)|^ {2}\w+\t/;
    expect(lines(await k.run('explain pod.spec.readinessGates'), shape)).toMatchInlineSnapshot(`
      KIND:   Pod
      VERSION:   v1
      FIELD: readinessGates <[]PodReadinessGate>
      FIELDS:
        conditionType	<string> -required-
    `);
    expect(lines(await k.run('explain deployment.spec.strategy.rollingUpdate'), shape))
      .toMatchInlineSnapshot(`
        GROUP:   apps
        KIND:   Deployment
        VERSION:   v1
        FIELD: rollingUpdate <RollingUpdateDeployment>
        FIELDS:
          maxSurge	<IntOrString>
          maxUnavailable	<IntOrString>
      `);
    expect(lines(await k.run('explain deploy.spec.replicas'), shape)).toMatchInlineSnapshot(`
      GROUP:   apps
      KIND:   Deployment
      VERSION:   v1
      FIELD: replicas <integer>
    `);
    expect(lines(await k.run('explain lease.spec'), shape)).toMatchInlineSnapshot(`
      GROUP:   coordination.k8s.io
      KIND:   Lease
      VERSION:   v1
      FIELD: spec <LeaseSpec>
      FIELDS:
        acquireTime	<string>
        holderIdentity	<string>
        leaseDurationSeconds	<integer>
        leaseTransitions	<integer>
        preferredHolder	<string>
        renewTime	<string>
        strategy	<string>
    `);
    expect(await k.run('explain pod.spec.nosuch')).toMatchInlineSnapshot(`
      KIND:   Pod
      VERSION:   v1
      [stderr]
      error: field "nosuch" does not exist
      [exit 1]
    `);
    expect(
      lines(
        await k.run('explain pod.spec.containers.env.valueFrom --recursive'),
        /^(?:GROUP|KIND|VERSION|FIELD)|\t/,
      ),
    ).toMatchInlineSnapshot(`
      KIND:   Pod
      VERSION:   v1
      FIELD: valueFrom <EnvVarSource>
      FIELDS:
        configMapKeyRef	<ConfigMapKeySelector>
          key	<string> -required-
          name	<string>
          optional	<boolean>
        fieldRef	<ObjectFieldSelector>
          apiVersion	<string>
          fieldPath	<string> -required-
        fileKeyRef	<FileKeySelector>
          key	<string> -required-
          optional	<boolean>
          path	<string> -required-
          volumeName	<string> -required-
        resourceFieldRef	<ResourceFieldSelector>
          containerName	<string>
          divisor	<Quantity>
          resource	<string> -required-
        secretKeyRef	<SecretKeySelector>
          key	<string> -required-
          name	<string>
          optional	<boolean>
    `);
  });

  test('version, cluster-info, auth whoami, auth can-i', async (k) => {
    expect(JSON.parse((await k.raw('version -o json')).out)).toMatchObject({
      serverVersion: { major: '1', gitVersion: expect.stringMatching(/^v1\./) as unknown },
    });
    expect(
      lines((await k.run('cluster-info')).replaceAll(/\u001B\[[0-9;]*m/g, ''), /control plane/),
    ).toMatchInlineSnapshot(`Kubernetes control plane is running at SERVER`);
    expect(
      lines(await k.run('auth whoami'), /^(?:ATTRIBUTE|Username)/).replace(/ .*/s, ''),
    ).toMatchInlineSnapshot(`ATTRIBUTE`);
    expect(await k.run('auth can-i create pods')).toMatchInlineSnapshot(`yes`);
    expect(await k.run('auth can-i list clonesets.apps.kruise.io -A')).toMatchInlineSnapshot(`yes`);
    expect(await k.run('get --raw /readyz')).toMatchInlineSnapshot(`ok`);
    expect(await k.run('get --raw /healthz')).toMatchInlineSnapshot(`ok`);
  });

  test('a kind that is defined is served at once; a second of its short name is ambiguous', async (k) => {
    const group = `${k.namespace}.example.com`;
    const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gadgets.${group} }
spec:
  group: ${group}
  scope: Namespaced
  names: { plural: gadgets, singular: gadget, kind: Gadget, shortNames: [clone] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      additionalPrinterColumns:
        - { name: Size, type: integer, jsonPath: .spec.size }
        - { name: Parts, type: string, jsonPath: '.spec.parts[*].name' }
        - { name: Since, type: date, jsonPath: .metadata.creationTimestamp, priority: 1 }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              description: What it is to be.
              required: [size]
              properties:
                size: { type: integer, minimum: 1, default: 3, description: How big. }
                parts: { type: array, items: { type: object, properties: { name: { type: string } } } }
`;
    const gadget = (spec: string) =>
      `apiVersion: ${group}/v1\nkind: Gadget\nmetadata: { name: g }\nspec: ${spec}\n`;
    expect(await k.run('apply -f -', definition)).toMatchInlineSnapshot(
      `customresourcedefinition.apiextensions.k8s.io/gadgets.NAMESPACE.example.com created`,
    );
    expect(await k.run(`wait --for=condition=Established crd/gadgets.${group}`)).toMatchInlineSnapshot(
      `customresourcedefinition.apiextensions.k8s.io/gadgets.NAMESPACE.example.com condition met`,
    );
    try {
      for (let tries = 0; tries < 20; tries += 1) {
        if ((await k.raw('get gadgets')).code === 0) break;
        await new Promise((resolve) => void setTimeout(resolve, 200));
      }
      expect(await k.run('create -f -', gadget('{ size: 0 }'))).toMatchInlineSnapshot(`
        [stderr]
        The Gadget "g" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1
        [exit 1]
      `);
      expect(await k.run('create -f -', gadget('{ size: big }'))).toMatchInlineSnapshot(`
        [stderr]
        The Gadget "g" is invalid: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"
        [exit 1]
      `);
      expect(
        await k.run('create -f -', gadget('{ parts: [{ name: left }, { name: right }] }')),
      ).toMatchInlineSnapshot(`gadget.NAMESPACE.example.com/g created`);
      expect(await k.run('get gadgets')).toMatchInlineSnapshot(`
        NAME   SIZE   PARTS
        g   3   left
      `);
      expect(await k.run('get gadgets -o wide')).toMatchInlineSnapshot(`
        NAME   SIZE   PARTS   SINCE
        g   3   left   AGE
      `);
      expect(await k.run('get gadgets -o jsonpath={.items[0].spec}')).toMatchInlineSnapshot(
        `{"parts":[{"name":"left"},{"name":"right"}],"size":3}`,
      );
      await k.run('create -f -', cloneSet('web'));
      expect(lines(await k.run('get clone'), /web|g /)).toMatchInlineSnapshot(`web   0   AGE`);
    } finally {
      await k.run(`delete crd gadgets.${group}`);
    }
  });
});
