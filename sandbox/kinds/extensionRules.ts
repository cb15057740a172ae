import type { KubeObject } from '../../schemas/wire/object.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt, type Fields } from '../../schemas/pods/fields.ts';
import { eachWithin, withDefaultsForAbsent, within } from '../../schemas/pods/defaulting.ts';
import { specDefaults } from './defaulting.ts';
import { policyRules, withScope } from './policyRules.ts';
import { checkWebhooks } from './webhookValidation.ts';

/** The warning for kinds that are stored but have no effect here. */
function inert(what: string): NonNullable<KindRules['warnings']> {
  return () => [`this is a sandbox: ${what}`];
}

const withPort = (reference: Fields): Fields => withDefaultsForAbsent(reference, { port: 443 });

function withWebhookDefaults(webhook: Fields, defaults: Fields): Fields {
  const called = within(webhook, ['clientConfig'], (client) => within(client, ['service'], withPort));
  return withDefaultsForAbsent(eachWithin(called, ['rules'], withScope), {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    ...defaults,
  });
}

function webhookRules(defaults: Fields): KindRules {
  return {
    needsRevision: true,
    check: checkWebhooks,
    defaults: (object) =>
      eachWithin(object, ['webhooks'], (webhook) => withWebhookDefaults(webhook, defaults)) as KubeObject,
  };
}

const apiServiceRules: KindRules = {
  needsRevision: true,
  defaults: specDefaults((spec) => within(spec, ['service'], withPort)),
  prepareCreate(object) {
    if (fieldAt(object, ['spec', 'service']) !== undefined) return object;
    const local = {
      type: 'Available',
      status: 'True',
      lastTransitionTime: object.metadata.creationTimestamp,
      reason: 'Local',
      message: 'Local APIServices are always available',
    };
    return { ...object, status: { conditions: [local] } };
  },
  warnings: inert('no request is handed to another server'),
};

const flowSchemaRules: KindRules = {
  defaults: specDefaults((spec) => ({ ...spec, matchingPrecedence: spec['matchingPrecedence'] || 1000 })),
  warnings: inert('no request is held back'),
};

const withQueues = (queuing: Fields): Fields => ({
  queues: queuing['queues'] || 64,
  handSize: queuing['handSize'] || 8,
  queueLengthLimit: queuing['queueLengthLimit'] || 50,
});

const priorityLevelRules: KindRules = {
  defaults: specDefaults((spec) =>
    within(
      within(spec, ['limited'], (limited) =>
        withDefaultsForAbsent(
          within(limited, ['limitResponse'], (response) => within(response, ['queuing'], withQueues)),
          { nominalConcurrencyShares: 30, lendablePercent: 0 },
        ),
      ),
      ['exempt'],
      (exempt) => withDefaultsForAbsent(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 }),
    ),
  ),
  warnings: inert('no request is held back'),
};

const signingRules: KindRules = { warnings: inert('no certificate is ever signed') };

/** Extension kinds (webhooks, APIServices and similar), which are stored without effect; by resource id. */
export const extensionRules: Readonly<Record<string, KindRules>> = {
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookRules({ reinvocationPolicy: 'Never' }),
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookRules({}),
  ...policyRules,
  'apiservices.apiregistration.k8s.io': apiServiceRules,
  'certificatesigningrequests.certificates.k8s.io': signingRules,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemaRules,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevelRules,
  'csistoragecapacities.storage.k8s.io': {
    needsRevision: true,
    warnings: inert('no storage capacity is reckoned with'),
  },
  'ipaddresses.networking.k8s.io': { warnings: inert('no address is given out by these objects') },
  'servicecidrs.networking.k8s.io': { warnings: inert('no address is given out by these objects') },
};
