import type { KindRules } from '../api/registry.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import {
  withDefaultsForEmpty,
  eachWithin,
  withDefaultsForAbsent,
  within,
} from '../../schemas/pods/defaulting.ts';
import { specDefaulter, specDefaults } from './defaulting.ts';

const withProtocol = (port: Fields): Fields => withDefaultsForEmpty(port, { protocol: 'TCP' });

function isEmptyList(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0;
}

/** policyTypes includes Egress if there are egress rules. */
const policyRules: KindRules = {
  defaults: specDefaulter((object) => {
    const spec: Fields = isFields(object['spec']) ? object['spec'] : {};
    const complete = eachWithin(spec, ['ingress', 'egress'], (rule) =>
      eachWithin(rule, ['ports'], withProtocol),
    );
    const policyTypes = isEmptyList(spec['egress']) ? ['Ingress'] : ['Ingress', 'Egress'];
    return {
      ...object,
      spec: isEmptyList(spec['policyTypes']) ? { ...complete, policyTypes } : complete,
    };
  }),
};

const endpointsRules: KindRules = {
  createsOnUpdate: true,
  defaults: (object) =>
    eachWithin(object, ['subsets'], (subset) => eachWithin(subset, ['ports'], withProtocol)) as typeof object,
};

const sliceRules: KindRules = {
  defaults: (object) =>
    eachWithin(object, ['ports'], (port) =>
      withDefaultsForAbsent(port, { name: '', protocol: 'TCP' }),
    ) as typeof object,
};

const ingressClassRules: KindRules = {
  defaults: specDefaults((spec) =>
    within(spec, ['parameters'], (parameters) => withDefaultsForAbsent(parameters, { scope: 'Cluster' })),
  ),
};

/** Networking kinds, by resource id. */
export const networkRules: Readonly<Record<string, KindRules>> = {
  endpoints: endpointsRules,
  'endpointslices.discovery.k8s.io': sliceRules,
  'ingressclasses.networking.k8s.io': ingressClassRules,
  'ingresses.networking.k8s.io': { prepareCreate: (object) => ({ ...object, status: { loadBalancer: {} } }) },
  'networkpolicies.networking.k8s.io': policyRules,
};
