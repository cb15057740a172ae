import { median } from './median.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { NewPodRules } from '../../semantics/kinds/admission.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { spreadAdmission } from '../../semantics/workloadspread/admit.ts';
import { decideSpread } from '../../semantics/workloadspread/decide.ts';
import { BY_ANNOTATION, WEBHOOK } from '../../semantics/workloadspread/resource.ts';
import { deploymentOf, podOf, spreadOfDeployment } from '../semantics/workloadspread/gates.ts';
import { NOW } from '../semantics/workloadspread/spreads.ts';
import type { Print } from './print.ts';
/** How many pods are created. */
const PODS = 1_000;

const RUNS = 20;
const CAPS = { a: 300, b: 300, c: null };
const rules = spreadAdmission.create as NewPodRules;

/** What it costs to place 1,000 pods of a Deployment in three subsets: while they wait with a gate, and by a webhook as they are created. */
export function bench(print: Print): void {
  const pods = Array.from({ length: PODS }, (_, index) => podOf(`web-${index}`));
  const text = JSON.stringify(pods);
  const baseline = { name: 'JSON.parse of the same pods', ms: timed(() => void JSON.parse(text)) };
  const target = spreadOfDeployment(CAPS);
  // The first decision puts places on record, the second one lets pods go to them.
  const before = decided(target, pods).status;
  const recorded = { ...target, status: structuredClone(before) as unknown as JsonStatus };
  print(
    `places of ${PODS} pods with a gate`,
    timed(() => void decided(target, pods)),
    baseline,
  );
  const writes = timed(() => {
    if (decided(recorded, pods).actions.length !== PODS) throw new Error('every pod must be let go');
  });
  print(`the writes that let ${PODS} pods with a gate go`, writes, baseline);

  const texts = pods.map((pod) => JSON.stringify(asked(pod)));
  const copied = timed(() => texts.forEach((each) => void JSON.stringify(JSON.parse(each))));
  const placed = timed(() => placeAll(texts));
  print(`places of ${PODS} new pods by a webhook, one after the other`, placed, {
    ...{ name: 'JSON.parse and stringify of them', ms: copied },
  });
}

type JsonStatus = NonNullable<KubeObject['status']>;

function decided(target: KubeObject, pods: readonly Pod[]): ReturnType<typeof decideSpread> {
  const configs = [deploymentOf(PODS)];
  // Each decision reads the object anew, as after a write.
  return decideSpread({ target: { ...target }, pods, configs, now: NOW }, undefined);
}

/** A pod as a request has it. */
function asked({ metadata: { labels, ownerReferences }, spec }: Pod): object {
  const metadata = { generateName: 'web-h1-', namespace: 'shop', labels, ownerReferences };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: spec.containers } };
}

function placeAll(texts: readonly string[]): void {
  const object = spreadOfDeployment(CAPS);
  object.metadata.annotations = { [BY_ANNOTATION]: WEBHOOK };
  let present = object;
  let places = 0;
  for (const [index, text] of texts.entries()) {
    const pod = JSON.parse(text) as KubeObject;
    const asks = { pod, owners: [], objects: [present], found: undefined, requestId: `r${index}`, now: NOW };
    const creation = rules.create(asks);
    if (creation.is === 'refused') throw new Error(creation.message);
    JSON.stringify(creation.pod);
    if (creation.is !== 'recorded') continue;
    places += 1;
    present = { ...object, status: creation.status };
  }
  if (places !== CAPS.a + CAPS.b) throw new Error('both caps must be full');
}

function timed(run: () => void): number {
  run();
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return median(times);
}
