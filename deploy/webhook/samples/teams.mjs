// Verifies what the runtime sends, and posts it to a workflow of Microsoft Teams as a card. `node teams.mjs`, with
// KEY_FILE, TEAMS_URL and PORT in its environment.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const LONGEST = 32 * 1024;
const key = readFileSync(process.env.KEY_FILE, 'utf8').replace(/[\r\n]+$/, '');
const known = new Set();

function isSigned(body, header = '') {
  const wanted = Buffer.from(`sha256=${createHmac('sha256', key).update(body).digest('hex')}`);
  const given = Buffer.from(header);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function cardOf({ event, source = '', target, plan, message }) {
  // A TextBlock would render Markdown, and messages have texts of kubelets: a link there is not ours.
  const line = (text, rest = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...rest }],
  });
  const title = `${event}: ${target.kind} ${target.namespace ?? ''}/${target.name} ${source}`;
  const step = plan === undefined ? [] : [line(`step ${plan.step}`)];
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [line(title, { weight: 'Bolder' }), ...step, line(message)],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
  };
}

async function answer(request) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > LONGEST) return 413;
  }
  if (!isSigned(body, request.headers['kruise-signature'])) return 401;
  const event = JSON.parse(body);
  // It comes again where the answer was lost, or the runtime has restarted meanwhile.
  if (known.has(event.id)) return 204;
  const sent = await fetch(process.env.TEAMS_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(cardOf(event)),
    signal: AbortSignal.timeout(4_000),
  });
  if (!sent.ok) return 502;
  if (known.size >= 1_000) known.clear();
  known.add(event.id);
  return 204;
}

createServer((request, response) => {
  answer(request).then(
    (status) => response.writeHead(status).end(),
    () => response.writeHead(502).end(),
  );
}).listen(Number(process.env.PORT ?? 8080), () => process.stdout.write('listens\n'));
