import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import type { KindRules } from '../api/registry.ts';
import { fieldAt, isFields, type Fields } from '../../schemas/pods/fields.ts';
import { eachWithin, withDefaultsForAbsent, within } from '../../schemas/pods/defaulting.ts';
import { checkExpressions } from '../policies/compile.ts';
import type { Policy } from '../policies/policy.ts';
import { specDefaults } from './defaulting.ts';
import { checkWebhooks } from './webhookValidation.ts';

/** The warning for kinds that are stored but have no effect here. */
function inert(what: string): NonNullable<KindRules['warnings']> {
  return () => [`this is a sandbox: ${what}`];
}

const withPort = (reference: Fields): Fields => withDefaultsForAbsent(reference, { port: 443 });

function isEmpty(list: unknown): boolean {
  return !Array.isArray(list) || list.length === 0;
}

const withScope = (rule: Fields): Fields => withDefaultsForAbsent(rule, { scope: '*' });

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

/** An enum value. */
function checkValue(path: string, value: unknown, values: readonly string[]): FieldError[] {
  return typeof value !== 'string' || values.includes(value) ? [] : [field.notSupported(path, value, values)];
}

function webhookRules(defaults: Fields): KindRules {
  return {
    needsRevision: true,
    check: checkWebhooks,
    defaults: (object) =>
      eachWithin(object, ['webhooks'], (webhook) => withWebhookDefaults(webhook, defaults)) as KubeObject,
  };
}

const withMatchDefaults = (match: Fields): Fields =>
  withDefaultsForAbsent(eachWithin(match, ['resourceRules', 'excludeResourceRules'], withScope), {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
  });

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

const listAt = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const policyRules: KindRules = {
  needsRevision: true,
  defaults: specDefaults((spec) =>
    withDefaultsForAbsent(within(spec, ['matchConstraints'], withMatchDefaults), { failurePolicy: 'Fail' }),
  ),
  check(object) {
    const { matchConstraints, validations, auditAnnotations } = specOf(object);
    const either = 'validations or auditAnnotations must contain at least one item';
    return [
      ...(matchConstraints === undefined
        ? [field.required('spec.matchConstraints')]
        : isEmpty(fieldAt(matchConstraints, ['resourceRules']))
          ? [field.required('spec.matchConstraints.resourceRules')]
          : []),
      ...(isEmpty(validations) && isEmpty(auditAnnotations)
        ? ['spec.validations', 'spec.auditAnnotations'].map((path) => field.required(path, either))
        : []),
      ...checkExpressions(object['spec'] as Policy['spec']),
      ...listAt(validations).flatMap((each, index) =>
        checkValue(`spec.validations[${index}].reason`, fieldAt(each, ['reason']), reasons),
      ),
    ];
  },
};

function specOf(object: KubeObject): Fields {
  return isFields(object['spec']) ? object['spec'] : {};
}

const actions = ['Audit', 'Deny', 'Warn'];

const bindingRules: KindRules = {
  needsRevision: true,
  defaults: specDefaults((spec) => within(spec, ['matchResources'], withMatchDefaults)),
  check(object) {
    const { policyName, validationActions } = specOf(object);
    const asked = Array.isArray(validationActions) ? (validationActions as unknown[]) : [];
    return [
      ...(policyName === undefined ? [field.required('spec.policyName')] : []),
      ...(asked.length === 0 ? [field.required('spec.validationActions')] : []),
      ...asked.flatMap((each, index) => checkValue(`spec.validationActions[${index}]`, each, actions)),
    ];
  },
};

const apiServiceRules: KindRules = {
  needsRevision: true,
  defaults: specDefaults((spec) => within(spec, ['service'], withPort)),
  prepareCreate(object) {
    if (specOf(object)['service'] !== undefined) return object;
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
  'validatingadmissionpolicies.admissionregistration.k8s.io': policyRules,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': bindingRules,
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
