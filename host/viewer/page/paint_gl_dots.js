// Dots by WebGL 2: each a point of the card, its shape cut out of a square.
const place = `#version 300 es
in vec3 at;
in float radius;
in vec4 tint;
in uint form;
uniform vec2 room;
uniform bool deep;
out vec4 colour;
out float size;
flat out uint shape;
void main() {
  gl_Position = vec4(at.x / room.x * 2.0 - 1.0, 1.0 - at.y / room.y * 2.0, deep ? clamp(at.z / 2.0, -1.0, 1.0) : 0.0, 1.0);
  size = radius, shape = form, colour = tint, gl_PointSize = 2.6 * radius + 3.0;
}`;
const cut = `#version 300 es
precision highp float;
in vec4 colour;
in float size;
flat in uint shape;
uniform bool deep;
uniform float ratio;
out vec4 here;
float far(vec2 p) {
  if (shape == 1u) return (abs(p.x) + abs(p.y) - 1.2 * size) * 0.7071;
  if (shape == 2u) return max(abs(p.x), abs(p.y)) - 0.88 * size;
  if (shape == 3u) return max(p.y - 0.9 * size, (abs(p.x) * 2.1 - (p.y + 1.2 * size) * 1.15) / 2.39);
  return length(p) - size;
}
void main() {
  float edge = far((gl_PointCoord - 0.5) * (2.6 * size + 3.0)), rim = !deep && size >= 4.0 * ratio ? 1.2 * ratio : 0.0;
  if (edge > rim + 0.5 || (deep && edge > 0.0 && size > 0.75)) discard;
  float inside = clamp(0.5 - edge, 0.0, 1.0), all = rim > 0.0 ? clamp(0.5 + rim - edge, 0.0, 1.0) : inside;
  here = deep ? vec4(colour.rgb * colour.a, colour.a) : vec4(colour.rgb * inside, inside + 0.6 * max(0.0, all - inside));
}`;

export class DotsGl {
  constructor(gl) {
    this.gl = gl, this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, place], [gl.FRAGMENT_SHADER, cut]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text), gl.compileShader(shader), gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(this.program));
    this.arrays = gl.createVertexArray(), this.buffer = gl.createBuffer();
  }

  draw(dots, ratio) {
    const { gl, program } = this, bytes = 24, data = new ArrayBuffer(dots.count * bytes), floats = new Float32Array(data), words = new Uint32Array(data);
    for (let n = 0, at = 0; n < dots.count; n++, at += 6) {
      const i = dots.order ? dots.order[n] : n;
      floats[at] = dots.x[i], floats[at + 1] = dots.y[i], floats[at + 2] = dots.away[i], floats[at + 3] = dots.radius[i], words[at + 4] = dots.colour[i], words[at + 5] = dots.shape[i];
    }
    gl.useProgram(program), gl.bindVertexArray(this.arrays), gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer), gl.bufferData(gl.ARRAY_BUFFER, data, gl.STREAM_DRAW);
    const has = (name, set) => { const at = gl.getAttribLocation(program, name); gl.enableVertexAttribArray(at), set(at); };
    has("at", at => gl.vertexAttribPointer(at, 3, gl.FLOAT, false, bytes, 0)), has("radius", at => gl.vertexAttribPointer(at, 1, gl.FLOAT, false, bytes, 12));
    has("tint", at => gl.vertexAttribPointer(at, 4, gl.UNSIGNED_BYTE, true, bytes, 16)), has("form", at => gl.vertexAttribIPointer(at, 1, gl.UNSIGNED_INT, bytes, 20));
    const uniform = name => gl.getUniformLocation(program, name);
    gl.uniform2f(uniform("room"), gl.drawingBufferWidth, gl.drawingBufferHeight), gl.uniform1i(uniform("deep"), +!!dots.isDeep), gl.uniform1f(uniform("ratio"), ratio);
    const solid = !dots.isDeep ? 0 : dots.order ? dots.solid : dots.count;
    if (dots.isDeep) gl.enable(gl.DEPTH_TEST);
    gl.drawArrays(gl.POINTS, 0, solid);
    gl.enable(gl.BLEND), gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA), gl.depthMask(false);
    gl.drawArrays(gl.POINTS, solid, dots.count - solid);
    gl.depthMask(true), gl.disable(gl.DEPTH_TEST), gl.disable(gl.BLEND);
  }
}
