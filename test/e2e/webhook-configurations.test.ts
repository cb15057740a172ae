import { expect } from 'vitest';
import { suite } from './suite.ts';

const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
const valid = {
  name: 'check.example.com',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://example.com/check' },
  rules: [rule],
};

const configuration = (...webhooks: object[]) =>
  JSON.stringify({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'checks' },
    webhooks,
  });

const withRule = (change: object) => ({ ...valid, rules: [{ ...rule, ...change }] });
const calledAt = (clientConfig: object) => ({ ...valid, clientConfig });

const invalid: readonly (readonly object[])[] = [
  [{}],
  [{ ...valid, name: 'check' }],
  [{ ...valid, name: 'Check.example.com' }],
  [valid, valid],
  [{ ...valid, sideEffects: 'Some' }],
  [{ ...valid, admissionReviewVersions: ['v2'] }],
  [{ ...valid, admissionReviewVersions: ['v1', 'v1'] }],
  [{ ...valid, failurePolicy: 'Never', matchPolicy: 'Alike', timeoutSeconds: 31 }],
  [calledAt({ url: 'http://example.com' })],
  [calledAt({ url: 'https://me:secret@example.com/check?a=b#c' })],
  [calledAt({ url: 'https://example.com', service: { name: 'check', namespace: 'default' } })],
  [calledAt({ service: { name: '', namespace: '', port: 0, path: 'check' } })],
  [withRule({ operations: ['MAKE', '*'] })],
  [withRule({ operations: [] })],
  [withRule({ apiGroups: ['', '*'], apiVersions: ['', '*'] })],
  [withRule({ resources: ['pods', ''] })],
  [withRule({ resources: ['*', 'pods'], scope: 'All' })],
  [
    {
      ...valid,
      matchConditions: [
        { name: '', expression: '' },
        { name: 'a', expression: '1' },
        { name: 'a', expression: 'true' },
      ],
    },
  ],
];

suite('webhook-configurations', (test) => {
  test('an invalid configuration of webhooks is refused with its errors', async (k) => {
    const answers: string[] = [];
    for (const webhooks of invalid)
      answers.push(await k.run('create --dry-run=server -f -', configuration(...webhooks)));
    expect(answers.join('\n')).toMatchInlineSnapshot(`
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid:
      * webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1
      * webhooks[0].clientConfig: Required value: exactly one of url or service is required
      * webhooks[0].name: Required value
      * webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid: webhooks[0].name: Invalid value: "check": should be a domain with at least three segments separated by dots
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid: webhooks[0].name: Invalid value: "Check.example.com": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid: webhooks[1].name: Duplicate value: "check.example.com"
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid: webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid: webhooks[0].admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid: webhooks[0].admissionReviewVersions[1]: Invalid value: "v1": duplicate version
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid:
      * webhooks[0].failurePolicy: Unsupported value: "Never": supported values: "Fail", "Ignore"
      * webhooks[0].matchPolicy: Unsupported value: "Alike": supported values: "Equivalent", "Exact"
      * webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid: webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid:
      * webhooks[0].clientConfig.url: Invalid value: "a=b": query parameters are not permitted in the URL
      * webhooks[0].clientConfig.url: Invalid value: "c": fragments are not permitted in the URL
      * webhooks[0].clientConfig.url: Invalid value: "me:secret": user information is not permitted in the URL
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid: webhooks[0].clientConfig: Required value: exactly one of url or service is required
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid:
      * webhooks[0].clientConfig.service.name: Required value
      * webhooks[0].clientConfig.service.namespace: Required value
      * webhooks[0].clientConfig.service.path: Invalid value: "check": must start with a '/'
      * webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid:
      * webhooks[0].rules[0].operations: Invalid value: ["MAKE","*"]: if '*' is present, must not specify other operations
      * webhooks[0].rules[0].operations[0]: Unsupported value: "MAKE": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid: webhooks[0].rules[0].operations: Required value
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid:
      * webhooks[0].rules[0].apiGroups: Invalid value: ["","*"]: if '*' is present, must not specify other API groups
      * webhooks[0].rules[0].apiVersions: Invalid value: ["","*"]: if '*' is present, must not specify other API versions
      * webhooks[0].rules[0].apiVersions[0]: Required value
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid: webhooks[0].rules[0].resources[1]: Required value
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid:
      * webhooks[0].rules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources
      * webhooks[0].rules[0].scope: Unsupported value: "All": supported values: "*", "Cluster", "Namespaced"
      [exit 1]
      [stderr]
      The ValidatingWebhookConfiguration "checks" is invalid:
      * webhooks[0].matchConditions[0].expression: Required value
      * webhooks[0].matchConditions[0].name: Required value
      * webhooks[0].matchConditions[1].expression: Invalid value: "1": must evaluate to bool but got int
      * webhooks[0].matchConditions[2].name: Duplicate value: "a"
      [exit 1]
    `);
    expect(await k.run('create --dry-run=server -f -', configuration(valid))).toMatchInlineSnapshot(
      `validatingwebhookconfiguration.admissionregistration.k8s.io/checks created (server dry run)`,
    );
  });

  test('the values of fields are explained', async (k) => {
    const explained: string[] = [];
    for (const kind of [
      'mutatingwebhookconfiguration',
      'validatingadmissionpolicy',
      'validatingadmissionpolicybinding',
      'validatingwebhookconfiguration',
    ]) {
      const { out } = await k.raw(`explain ${kind} --recursive`);
      const values = out.matchAll(/^ *(\S+)\t<.*>\n *(enum: .*)$/gm);
      explained.push(kind, ...[...values].map(([, field, text]) => `  ${field} ${text}`));
    }
    expect(explained.join('\n')).toMatchInlineSnapshot(`
      mutatingwebhookconfiguration
        failurePolicy enum: Fail, Ignore
        matchPolicy enum: Equivalent, Exact
        reinvocationPolicy enum: IfNeeded, Never
        scope enum: *, Cluster, Namespaced
      validatingadmissionpolicy
        failurePolicy enum: Fail, Ignore
        scope enum: *, Cluster, Namespaced
        matchPolicy enum: Equivalent, Exact
        scope enum: *, Cluster, Namespaced
      validatingadmissionpolicybinding
        scope enum: *, Cluster, Namespaced
        matchPolicy enum: Equivalent, Exact
        scope enum: *, Cluster, Namespaced
      validatingwebhookconfiguration
        failurePolicy enum: Fail, Ignore
        matchPolicy enum: Equivalent, Exact
        scope enum: *, Cluster, Namespaced
    `);
  });
});
