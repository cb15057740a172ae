import { describe, expect, test } from 'vitest';
import { kindSamples } from '../everyKind.ts';
import { refusal, stage } from '../world.ts';
import { front, json } from './front.ts';

const inert: [id: string, warning: string][] = [
  ['validatingwebhookconfigurations.admissionregistration.k8s.io', 'no webhook is ever called'],
  ['mutatingwebhookconfigurations.admissionregistration.k8s.io', 'no webhook is ever called'],
  ['apiservices.apiregistration.k8s.io', 'no request is handed to another server'],
  ['certificatesigningrequests.certificates.k8s.io', 'no certificate is ever signed'],
  ['flowschemas.flowcontrol.apiserver.k8s.io', 'no request is held back'],
  ['prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', 'no request is held back'],
  ['ipaddresses.networking.k8s.io', 'no address is given out by these objects'],
  ['servicecidrs.networking.k8s.io', 'no address is given out by these objects'],
  ['csistoragecapacities.storage.k8s.io', 'no storage capacity is reckoned with'],
];

describe('kinds that are stored without effect', () => {
  test.each(inert)('%s: %s', async (id, warning) => {
    const sample = kindSamples().find((each) => each.id === id);
    if (sample === undefined) throw new Error(`no kind ${id}`);
    const { group, version, plural, namespaced } = sample.resource;
    const path = `/apis/${group}/${version}${namespaced ? '/namespaces/default' : ''}/${plural}`;
    const { ask } = await front({ nodes: 0 });
    const made = await ask(path, { method: 'POST', headers: json, body: sample.manifest });
    expect([made.code, made.headers['warning']]).toEqual([201, `299 - "this is a sandbox: ${warning}"`]);
  });

  test.each<[string, object, string]>([
    [
      'validatingadmissionpolicies.admissionregistration.k8s.io',
      { spec: {} },
      '[spec.matchConstraints: Required value, spec.validations: Required value: validations or auditAnnotations must contain at least one item, spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item]',
    ],
    [
      'validatingadmissionpolicybindings.admissionregistration.k8s.io',
      { spec: { validationActions: ['X'] } },
      '[spec.policyName: Required value, spec.validationActions[0]: Unsupported value: "X": supported values: "Audit", "Deny", "Warn"]',
    ],
  ])('%s is refused: %j', async (id, fields, expected) => {
    const sample = kindSamples().find((each) => each.id === id);
    if (sample === undefined) throw new Error(`no kind ${id}`);
    const { alice } = stage({ nodes: 0 });
    const { message } = await refusal(alice.create(sample.resource, { ...sample.manifest, ...fields }));
    expect(message.replace(/^\S+ "[^"]+" is invalid: /, '')).toBe(expected);
  });
});
