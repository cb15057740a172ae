import {
  ADMISSION_NAME,
  ADMISSION_SERVICE,
  admissionConfiguration,
  disruptionConfiguration,
  NEW_PODS_PATH,
} from '../../runtime/admit/configuration.ts';
import { isForbidden } from '../../runtime/problem.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { AdmissionOption } from '../../semantics/kinds/admission.ts';
import { admissionOptions, admittingBy, reviewingKinds } from '../../semantics/kinds/admitting.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';
import { HostError } from '../../compiler/host.ts';
import { fromCwd, shownPath } from '../../compiler/load/files.ts';
import { shorten } from '../../compiler/text/escape.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import { connectCluster, pause, textOf, type ClusterAccess } from '../cluster/cluster.ts';
import { exitCode, type Options, type Run } from '../command/command.ts';
import type { Refusal } from '../command/refusal.ts';
import { reportRefusal } from '../command/report.ts';
import type { Host } from '../host.ts';
import { probed } from './probe.ts';
import { triedPods } from './trial.ts';

const resourceOf = (plural: string, kind: string): Resource => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: false,
});
const MUTATING = resourceOf('mutatingwebhookconfigurations', 'MutatingWebhookConfiguration');
const VALIDATING = resourceOf('validatingwebhookconfigurations', 'ValidatingWebhookConfiguration');

/** `kruise admission install` and `kruise admission check`. */
export const runAdmission: Run = async (host, operands, options) => {
  const [verb] = operands;
  if ((verb !== 'install' && verb !== 'check') || operands.length > 1)
    return refuse(host, unknownWord(operands));
  const read = verb === 'install' ? configurationsOf(host, options) : undefined;
  if (read !== undefined && 'problem' in read) return refuse(host, read);
  const access = await connectCluster(host, options);
  if ('problem' in access) return refuse(host, access);
  try {
    const found =
      read === undefined
        ? await check(access, placeOf(access, options))
        : ((await unsaid(access, options)) ?? (await install(access, read, placeOf(access, options))));
    if (typeof found !== 'string') return refuse(host, found);
    host.stdout(`${found}\n`);
    return exitCode.done;
  } catch (error) {
    return refuse(host, access.explain(error));
  } finally {
    access.close();
  }
};

/** Where a pod would be created, and where the revisions of sets are. */
function placeOf({ namespace }: ClusterAccess, options: Options): Parameters<typeof probed>[1] {
  return { namespace: textOf(options, 'namespace') ?? namespace, system: String(options['system']) };
}

function unknownWord([verb = '', extra]: readonly string[]): Refusal {
  const help = 'kruise admission install --ca FILE, or kruise admission check';
  const isKnown = verb === 'install' || verb === 'check';
  const unknown = isKnown ? extra : verb;
  if (!unknown) return { problem: 'say what to do', help };
  const near = isKnown ? undefined : suggest(unknown, ['install', 'check']);
  return {
    problem: `unknown word '${shorten(unknown, 40)}'`,
    help: near === undefined ? `say what to do: ${help}` : `did you mean ${near}?`,
  };
}

/** What API servers ask about where somebody has asked for that. */
const ASKED: Readonly<Record<AdmissionOption, string>> = {
  'exact-budgets': 'about pods of budgets',
  spreads: 'where new pods of spread workloads go',
};

/** Why it is not clear what becomes of the reviews that somebody has asked for: a renewal of the authority must not end them. */
async function unsaid({ cluster }: ClusterAccess, options: Options): Promise<Refusal | undefined> {
  const open = admissionOptions(kinds).filter(
    (option) => options[option] !== true && options[`no-${option}`] !== true,
  );
  if (open.length === 0) return undefined;
  for (const resource of [VALIDATING, MUTATING]) {
    const present = await visible(cluster, resource);
    if (present === undefined || present === 'forbidden') continue;
    const option = open.find((each) => has(present, each));
    if (option !== undefined)
      return {
        problem: `there is a ${resource.kind} ${ADMISSION_NAME}, by which API servers ask ${ASKED[option]}`,
        help: `add --${option} to write it anew, or --no-${option} to remove it`,
      };
  }
  return undefined;
}

/** Whether API servers ask by a configuration what somebody has asked for with an option. */
function has(present: KubeObject, option: AdmissionOption): boolean {
  const own = namesFor([option]).filter((name) => !namesFor([]).includes(name));
  return namesIn(present).some((name) => own.includes(name));
}

/** The names of all webhooks with these options. */
function namesFor(asked: readonly AdmissionOption[]): string[] {
  const { mutating, validating } = configured(() => ({}), '', asked);
  return [mutating, validating].flatMap((each) => (each === undefined ? [] : namesIn(each)));
}

function namesIn(configuration: KubeObject): string[] {
  return listOf(configuration['webhooks']).map(({ name }) => (typeof name === 'string' ? name : ''));
}

function configured(
  clientOf: (path: string) => object,
  namespace: string,
  asked: readonly AdmissionOption[],
): Configurations {
  const admitting = admittingBy(kinds, asked);
  return {
    mutating: admissionConfiguration(clientOf, [namespace], admitting),
    validating: disruptionConfiguration(clientOf, [namespace], admitting),
  };
}

/** What is installed. `validating`: undefined where no kind reviews what happens to pods. */
interface Configurations {
  mutating: KubeObject;
  validating: KubeObject | undefined;
}

/** The configurations that trust the authority of a file. */
function configurationsOf(host: Host, options: Options): Configurations | Refusal {
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
  const all = admissionOptions(kinds);
  const both = all.find((each) => options[each] === true && options[`no-${each}`] === true);
  if (both !== undefined)
    return { problem: `--${both} excludes --no-${both}`, help: 'leave one of them out' };
  const namespace = String(options['system']);
  const url = textOf(options, 'url');
  if (url !== undefined && !isReviewUrl(url))
    return {
      problem: `--url cannot be '${url}'`,
      help: `it is the address of kruise run --admission, such as https://10.0.0.5:9443${NEW_PODS_PATH}`,
    };
  const caBundle = Buffer.from(text).toString('base64');
  const clientOf = (asked: string): object =>
    url === undefined
      ? { service: { name: ADMISSION_SERVICE, namespace, path: asked, port: 443 }, caBundle }
      : { url: new URL(asked, url).href, caBundle };
  return configured(
    clientOf,
    namespace,
    all.filter((each) => options[each] === true),
  );
}

/** Whether an API server and the admission agree on it: servers refuse user names, queries and fragments. */
function isReviewUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, username, search, hash } = new URL(text);
  return protocol === 'https:' && pathname === NEW_PODS_PATH && username + search + hash === '';
}

/** Replaces what is there: fields of another writer, such as an address beside the Service, make it invalid. */
async function install(
  access: ClusterAccess,
  { mutating, validating }: Configurations,
  place: Parameters<typeof probed>[1],
): Promise<string | Refusal> {
  const { cluster } = access;
  await write(cluster, MUTATING, mutating);
  // Without an answer to its requests no pod of a budget is deleted.
  const isStrict = listOf(validating?.['webhooks']).some(({ failurePolicy }) => failurePolicy === 'Fail');
  const silent = isStrict ? await unanswered(access, place) : undefined;
  if (silent !== undefined) return silent;
  const removal = validating === undefined ? await remove(cluster, VALIDATING) : undefined;
  if (validating !== undefined) await write(cluster, VALIDATING, validating);
  const done = `${ADMISSION_NAME} is installed; kruise admission check shows whether it answers`;
  return removal === undefined ? done : `${done}; ${removal}`;
}

/** API servers ask by a new configuration within a second or so. */
const PROBES = 10;
const PROBE_MS = 1_000;
/**
 * So many answers in a row are not those of the configuration before. An install that was broken off may have written the new one a moment
 * ago, so that what stands there says nothing.
 */
const ANSWERS = 3;

/** Why the webhook must not be asked about pods of budgets yet; undefined: it answers. */
async function unanswered(
  access: ClusterAccess,
  place: Parameters<typeof probed>[1],
): Promise<Refusal | undefined> {
  let answers = 0;
  for (let tried = 1; ; tried++) {
    const found = await probed(access, place);
    answers = typeof found === 'string' ? answers + 1 : 0;
    if (answers === ANSWERS) return undefined;
    if (tried >= PROBES && typeof found !== 'string')
      return {
        problem: `${found.problem}; so API servers are not told to ask it about pods of budgets, which they would not delete`,
        help: `${found.help}; then run the same again`,
      };
    await pause(access.clock, PROBE_MS);
  }
}

async function write(cluster: Cluster, resource: Resource, configuration: KubeObject): Promise<void> {
  const present = await installed(cluster, resource);
  const options = { fieldManager: ADMISSION_SERVICE };
  if (present === undefined) await cluster.create(resource, configuration, options);
  else await cluster.replace(resource, { ...configuration, metadata: present.metadata }, options);
}

/**
 * Removes what another version has installed: this one does not answer its requests, which may then be refused. Returns what was
 * done, as a clause; undefined: nothing. Without the right to see it, as this version needs none, nothing is removed.
 */
async function remove(cluster: Cluster, resource: Resource): Promise<string | undefined> {
  const present = await visible(cluster, resource);
  if (present === 'forbidden')
    return `whether another version has left a ${resource.kind} is not known, without the right to list these`;
  if (present === undefined) return undefined;
  const { uid } = present.metadata;
  await cluster.delete(resource, { name: ADMISSION_NAME }, uid === undefined ? {} : { uid });
  const ended = admissionOptions(kinds).filter((option) => has(present, option));
  return ended.length > 0
    ? `the ${resource.kind} was removed: API servers no longer ask ${ended.map((option) => ASKED[option]).join(' and ')}`
    : `the ${resource.kind} of another version was removed`;
}

async function check(access: ClusterAccess, place: Parameters<typeof probed>[1]): Promise<string | Refusal> {
  const isReviewing = reviewingKinds(admittingBy(kinds, [])).length > 0;
  for (const resource of isReviewing ? [MUTATING, VALIDATING] : [MUTATING])
    if ((await installed(access.cluster, resource)) === undefined)
      return {
        problem: `there is no ${resource.kind} ${ADMISSION_NAME}`,
        help: 'kruise admission install --ca FILE creates it',
      };
  const left = reviewingKinds(kinds).length > 0 ? undefined : await visible(access.cluster, VALIDATING);
  if (left !== undefined && left !== 'forbidden')
    return {
      problem: `there is a ${VALIDATING.kind} ${ADMISSION_NAME} of another version, which this one does not answer`,
      help: 'kruise admission install --ca FILE removes it',
    };
  const exact = await exactly(access.cluster);
  if (typeof exact === 'object') return exact;
  const found = await probed(access, place);
  if (typeof found !== 'string') return found;
  const placed = await placing(access.cluster, place.namespace);
  return Array.isArray(placed) ? [`${found}${exact}`, ...placed].join('; ') : placed;
}

/** Whether pods become what somebody has asked for as they are created, as clauses, or why they do not. */
async function placing(cluster: Cluster, namespace: string): Promise<string[] | Refusal> {
  const mutating = await installed(cluster, MUTATING);
  const asked = admissionOptions(kinds).filter((option) => mutating !== undefined && has(mutating, option));
  return triedPods(cluster, admittingBy(kinds, asked), namespace);
}

/** What there is to say of reviews that somebody has asked for, as the end of a sentence, or why they cannot be answered. */
async function exactly(cluster: Cluster): Promise<string | Refusal> {
  const present = await visible(cluster, VALIDATING);
  if (present === undefined || present === 'forbidden' || !has(present, 'exact-budgets')) return '';
  const mutating = await installed(cluster, MUTATING);
  const [asked, other] = [present, mutating].map((each) => new Set(listOf(each?.['webhooks']).map(whomOf)));
  if (asked !== undefined && other !== undefined && [...asked].every((each) => other.has(each)))
    return `; it is also asked about pods of budgets, which are not deleted while it is down`;
  return {
    problem: `the ${VALIDATING.kind} ${ADMISSION_NAME} asks another address or trusts another authority than the ${MUTATING.kind}`,
    help: 'kruise admission install --ca FILE --exact-budgets writes both anew, with --no-exact-budgets it removes this one',
  };
}

/** Whom a webhook asks, and which authority it trusts, whatever the path. */
function whomOf(webhook: Record<string, unknown>): string {
  const { service, url, caBundle } = objectOf(webhook['clientConfig']);
  const { name, namespace, port } = objectOf(service);
  const host = typeof url === 'string' && URL.canParse(url) ? new URL(url).host : '';
  return JSON.stringify([host, name ?? '', namespace ?? '', port ?? 443, caBundle ?? '']);
}

/** The configuration of this sort in the cluster. */
async function installed(cluster: Cluster, resource: Resource): Promise<KubeObject | undefined> {
  const { items } = await cluster.list(resource, { fieldSelector: `metadata.name=${ADMISSION_NAME}` });
  return items[0];
}

/** The same of a sort that this version needs no right for. */
async function visible(cluster: Cluster, resource: Resource): Promise<KubeObject | 'forbidden' | undefined> {
  try {
    return await installed(cluster, resource);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return 'forbidden';
  }
}

function refuse(host: Host, refusal: Refusal): number {
  reportRefusal(host, 'admission', refusal);
  return exitCode.error;
}
