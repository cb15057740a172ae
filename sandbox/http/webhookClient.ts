import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { createWallClock } from '../clock/wall.ts';
import type { Answer, WebhookClient } from '../webhooks/answers.ts';
import type { Target } from '../webhooks/target.ts';

/** The most bytes of an answer. */
const longestAnswer = 3 * 1024 * 1024;

/** The words of the API server for what went wrong. */
function faultOf(error: NodeJS.ErrnoException, { host, port }: Target): string {
  switch (error.code ?? '') {
    case 'ECONNREFUSED':
      return `dial tcp ${host.includes(':') ? `[${host}]` : host}:${port}: connect: connection refused`;
    case 'ECONNRESET':
      return 'EOF';
    case 'ENOTFOUND':
      return `dial tcp: lookup ${host}: no such host`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    case 'EPROTO':
      return 'http: server gave HTTP response to HTTPS client';
    default:
      return error.message;
  }
}

function answerOf(status: number, text: string): Answer {
  if (status === 404) return { fault: 'the server could not find the requested resource' };
  if (status < 200 || status > 299)
    return {
      fault: `an error on the server (${JSON.stringify(text.trim() || 'unknown')}) has prevented the request from succeeding`,
    };
  try {
    return { body: JSON.parse(text) as unknown };
  } catch {
    return { fault: `couldn't get version/kind; json parse error: ${JSON.stringify(text.slice(0, 60))}` };
  }
}

/** A webhook has so much time, however fast the clock of the cluster is. */
const timers = createWallClock();

/** Calls webhooks over HTTPS, with the certificate authority of their configuration. */
export const httpWebhooks: WebhookClient = (target, review) =>
  new Promise<Answer>((resolve) => {
    const { url, host, port, path, serverName, caBundle, timeoutMs } = target;
    const body = JSON.stringify(review);
    const failed = (why: string) => resolve({ fault: `Post ${JSON.stringify(url)}: ${why}` });
    const stop = timers.after(timeoutMs, () => {
      failed('context deadline exceeded');
      request.destroy();
    });
    const options = {
      host,
      port,
      path,
      method: 'POST',
      headers: {
        accept: 'application/json, */*',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    };
    const isSecure = url.startsWith('https:');
    const send = isSecure ? secure : plain;
    const tls = isSecure
      ? {
          ...(caBundle === undefined ? {} : { ca: caBundle }),
          ...(/^[\d.]+$|:/.test(serverName) ? {} : { servername: serverName }),
        }
      : {};
    const request = send({ ...options, ...tls }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= longestAnswer) {
          chunks.push(chunk);
          return;
        }
        failed('http: response body too large');
        response.destroy();
      });
      response.on('end', () => {
        const answer = answerOf(response.statusCode ?? 0, Buffer.concat(chunks).toString('utf8'));
        resolve('fault' in answer ? { fault: answer.fault } : answer);
      });
      response.on('error', (error) => failed(faultOf(error, target)));
      // Whatever ends it: after an answer this changes nothing.
      response.on('close', () => failed('unexpected EOF'));
    });
    request.on('error', (error) => failed(faultOf(error, target)));
    request.on('close', stop);
    request.end(body);
  });
