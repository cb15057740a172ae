import { ApiError } from '../../schemas/wire/cluster.ts';
import type { Connection } from './connection.ts';
import { CredentialsError, type ConnectionProblem } from './credentials-error.ts';
import { helpForRefused } from './refused-by-admission.ts';
import { TransportError } from './transport-error.ts';
import { withoutTrailing } from '../../semantics/values/text.ts';

/**
 * Why a call failed, and what to do, one sentence each. Of the server's response it contains only the message of a refusal.
 */
export function explainFailure(error: unknown, connection: Connection): ConnectionProblem {
  const { server, user } = connection;
  const at = withoutSecrets(server);
  if (error instanceof CredentialsError) return { problem: error.message, help: error.help };
  if (error instanceof TransportError) return explainTransport(error, at, connection);
  if (error instanceof ApiError) return explainRefusal(error, at, user);
  const message = error instanceof Error ? error.message : String(error);
  return { problem: `the request to ${at} failed: ${message}`, help: 'try again' };
}

/** The command that installs the CRDs of this version. */
export const INSTALL_CRDS = 'install the CRDs of this version: kubectl apply --server-side -f deploy/crds';

/** Whether a server refused plain HTTP: a retry does not help. */
export function wantsHttps(error: unknown): boolean {
  return error instanceof ApiError && /HTTP request to an HTTPS server/i.test(error.status.message);
}

function explainRefusal(error: ApiError, at: string, user: string): ConnectionProblem {
  const { status } = error;
  const { code, message } = status;
  if (wantsHttps(error))
    return {
      problem: `${at} is an http address, but the server requires https`,
      help: 'use https:// in the server of the kubeconfig',
    };
  if (code === 404 && message === 'the server could not find the requested resource')
    return {
      problem: `${at} does not serve workloads of apps.kruise.io and RolloutPlans in the versions that this release needs`,
      help: INSTALL_CRDS,
    };
  const refused = helpForRefused(error);
  if (refused !== undefined) return { problem: `${at} refuses this: ${message}`, help: refused };
  switch (code) {
    case 401:
      return {
        problem: `${at} does not accept the credentials of ${user}: they have expired or belong to another cluster`,
        help: 'log in again, or choose another kubeconfig or context (--kubeconfig, --context)',
      };
    case 403:
      return {
        problem: `${at} does not allow this to ${user}: ${message}`,
        help: 'ask an administrator of the cluster for this right, or use another context (--context)',
      };
    case 429:
    case 503:
      return { problem: `${at} is overloaded or not ready: ${message}`, help: 'try again in a minute' };
    default:
      return status.reason === '' || (code === 404 && status.details === undefined)
        ? notKubernetes(at)
        : {
            problem: message,
            help: code >= 500 ? 'try again; the error is in the server' : 'change the request',
          };
  }
}

function notKubernetes(at: string): ConnectionProblem {
  return {
    problem: `${at} answers, but it is not a Kubernetes API server`,
    help: 'check the server of the kubeconfig (port and path), and any proxy in front of it',
  };
}

function explainTransport(
  { kind, code, message }: TransportError,
  at: string,
  connection: Connection,
): ConnectionProblem {
  const { host, hostname } = new URL(connection.server);
  switch (kind) {
    case 'refused':
      return {
        problem: `nothing listens at ${host}`,
        help: 'start the cluster, or choose another kubeconfig or context (--kubeconfig, --context)',
      };
    case 'dns':
      return {
        problem: `the host name ${hostname} does not resolve`,
        help: 'check the server of the kubeconfig, and whether the VPN or network that resolves the name is connected',
      };
    case 'timeout':
      return {
        problem: `${host} does not answer`,
        help: 'check whether the network or the VPN to the cluster is connected, and whether a firewall blocks it',
      };
    case 'reset':
      return {
        problem: `${host} closed the connection before it answered`,
        help: 'try again; if it persists, check the proxy or load balancer in front of the API server',
      };
    case 'tls':
      return explainTls(code, host, hostname, connection);
    case 'garbled':
    case 'oversized':
      return notKubernetes(at);
    case 'closed':
      return { problem: message, help: 'start the command again' };
  }
}

const untrusted = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);

function explainTls(code: string, host: string, hostname: string, { tls }: Connection): ConnectionProblem {
  if (untrusted.has(code))
    return {
      problem: `the certificate of ${host} is not signed by ${tls?.ca === undefined ? 'an authority that this machine trusts' : 'the authority of the kubeconfig'}`,
      help: 'set certificate-authority of the cluster in the kubeconfig to the CA that signs it; a recreated cluster has a new CA',
    };
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return {
        problem: `the certificate of ${host} has expired`,
        help: 'renew the certificate of the API server, and check the clock of this machine',
      };
    case 'CERT_NOT_YET_VALID':
      return {
        problem: `the certificate of ${host} is not valid yet`,
        help: 'check the clock of this machine',
      };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return {
        problem: `the certificate of ${host} is not valid for ${tls?.servername ?? hostname}`,
        help: 'use a name that the certificate contains, or set tls-server-name of the cluster in the kubeconfig',
      };
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return {
        problem: `${host} does not speak TLS`,
        help: 'check the server of the kubeconfig: its port, and whether it must be http://',
      };
    default:
      return {
        problem: `no secure connection to ${host} could be established (${code})`,
        help:
          tls?.cert === undefined
            ? 'check the server and the certificate-authority of the kubeconfig'
            : 'the server may have refused the client certificate of the kubeconfig: check whether it has expired',
      };
  }
}

/** The address without user name and password. */
function withoutSecrets(server: string): string {
  const url = new URL(server);
  url.username = '';
  url.password = '';
  return withoutTrailing(url.href, '/');
}
