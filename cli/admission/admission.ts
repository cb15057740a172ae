import { ADMISSION_NAME, admissionConfiguration } from '../../runtime/admit/configuration.ts';
import { REVIEW_PATH } from '../../runtime/admit/serve.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { HostError } from '../../compiler/host.ts';
import { fromCwd, shownPath } from '../../compiler/load/files.ts';
import { connectCluster, textOf, type ClusterAccess } from '../cluster/cluster.ts';
import { exitCode, type Options, type Run } from '../command/command.ts';
import type { Refusal } from '../command/refusal.ts';
import { reportRefusal } from '../command/report.ts';
import type { Host } from '../host.ts';
import { probed } from './probe.ts';

/** The Service of deploy/components/admission. */
const SERVICE = 'kruise-admission';
const CONFIGURATIONS = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'mutatingwebhookconfigurations',
  kind: 'MutatingWebhookConfiguration',
  namespaced: false,
};

/** `kruise admission install` and `kruise admission check`. */
export const runAdmission: Run = async (host, operands, options) => {
  const [verb] = operands;
  if ((verb !== 'install' && verb !== 'check') || operands.length > 1)
    return refuse(host, {
      problem: 'say what to do',
      help: 'kruise admission install --ca FILE, or kruise admission check',
    });
  const read = verb === 'install' ? configurationOf(host, options) : undefined;
  if (read !== undefined && 'problem' in read) return refuse(host, read);
  const access = await connectCluster(host, options);
  if ('problem' in access) return refuse(host, access);
  try {
    const found =
      read === undefined
        ? await check(access, textOf(options, 'namespace') ?? access.namespace)
        : await install(access, read.configuration);
    if (typeof found !== 'string') return refuse(host, found);
    host.stdout(`${found}\n`);
    return exitCode.done;
  } catch (error) {
    return refuse(host, access.explain(error));
  } finally {
    access.close();
  }
};

/** The configuration that trusts the authority of a file. */
function configurationOf(host: Host, options: Options): { configuration: KubeObject } | Refusal {
  const file = textOf(options, 'ca');
  if (file === undefined || file === '')
    return {
      problem: 'install needs --ca FILE',
      help: 'it is the certificate authority of the Secret kruise-admission-tls, often its key ca.crt',
    };
  const path = fromCwd(host, file);
  const shown = shownPath(host, path);
  let text: string;
  try {
    text = new TextDecoder().decode(host.readFile(path));
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return { problem: `${shown} cannot be read: ${error.reason}`, help: 'use another file with --ca' };
  }
  if (!/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.test(text) || text.includes('PRIVATE KEY'))
    return {
      problem: `${shown} is no certificate in PEM, or has a private key beside it`,
      help: 'use a file with certificates only',
    };
  const namespace = String(options['system']);
  const service = { name: SERVICE, namespace, path: REVIEW_PATH, port: 443 };
  const caBundle = Buffer.from(text).toString('base64');
  return { configuration: admissionConfiguration({ service, caBundle }, [namespace]) };
}

async function install({ cluster }: ClusterAccess, configuration: KubeObject): Promise<string> {
  await cluster.patch(
    CONFIGURATIONS,
    { name: ADMISSION_NAME },
    { type: 'apply', body: configuration as unknown as JsonObject, force: true },
    { fieldManager: SERVICE },
  );
  return `${ADMISSION_NAME} is installed; kruise admission check shows whether it answers`;
}

async function check(access: ClusterAccess, namespace: string): Promise<string | Refusal> {
  const { items } = await access.cluster.list(CONFIGURATIONS, {
    fieldSelector: `metadata.name=${ADMISSION_NAME}`,
  });
  if (items.length === 0)
    return {
      problem: `there is no MutatingWebhookConfiguration ${ADMISSION_NAME}`,
      help: 'kruise admission install --ca FILE creates it',
    };
  return probed(access, namespace);
}

function refuse(host: Host, refusal: Refusal): number {
  reportRefusal(host, 'admission', refusal);
  return exitCode.error;
}
