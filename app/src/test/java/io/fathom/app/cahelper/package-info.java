@NullMarked
package io.fathom.app.cahelper;

import org.jspecify.annotations.NullMarked;
